"""How the small functions inside kernels are compiled: as parts, to be linked and optimised in the kernel alone.

numba compiles each function by itself, optimises it with LLVM, and optimises it again inside each function that calls
it, layer by layer; for functions that exist only to be inlined, all but the last is wasted: it was three quarters of
the time that a search took to compile. A part stops after lowering, and cannot be called from Python.
"""

import ctypes
from typing import Any

from numba.core import caching, codegen, compiler, typed_passes, untyped_passes

# numba's own annotations say too little.
_Cache: Any = caching.FunctionCache
_Library: Any = codegen.CPUCodeLibrary
_Flags: Any = compiler.Flags
_Compiler: Any = compiler.Compiler


class _NoMachineCode:
    """Stands for the code generator where an environment would be given to machine code."""

    def set_env(self, env_name: str, env: object) -> None:
        """There is no machine code: the kernel that the part is linked into has its own environment."""


class PartLibrary(_Library):  # type: ignore[misc]
    """LLVM code that is linked into others and never runs by itself."""

    @property
    def codegen(self) -> Any:
        """What numba tells the environment of a compiled function to."""
        return _NoMachineCode()

    def get_pointer_to_function(self, name: str) -> int:
        """Where Python gets that calls the part: a function that does nothing but raise TypeError."""
        return ctypes.cast(ctypes.pythonapi.PyErr_BadArgument, ctypes.c_void_p).value or 0

    def _optimize_final_module(self) -> None:
        pass

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._finalized = True


class _Shared(_Flags):  # type: ignore[misc]
    """What functions called from a kernel or a part are compiled under, whichever it is.

    numba takes the flags of the caller, and compiles a function again for each kind of them; and it looks at all of
    their values in each of the many thousand questions whether it has met a call before.
    """

    __slots__ = ()

    def __eq__(self, other: object) -> bool:
        return self is other

    def __hash__(self) -> int:
        return id(self)

    def copy(self) -> Any:
        """Flags of the usual kind, to be changed."""
        return _Flags(self)


_SHARED: Any = _Shared()
_SHARED.nrt, _SHARED.error_model = False, "numpy"


class _Own(_Flags):  # type: ignore[misc]
    """The flags of one kernel or part; numba hands a copy of them on to what is called from there."""

    __slots__ = ()

    def copy(self) -> Any:
        """What is handed on."""
        return _SHARED


class KernelCache(_Cache):  # type: ignore[misc]
    """numba's cache of compiled functions, without all that numba would need only to compile one.

    Before it looks into the cache it imports and registers every function that it knows, which takes several times as
    long as to read a kernel.
    """

    def load_overload(self, sig: Any, target_context: Any) -> Any:
        """The compiled function for these types, or None."""
        with self._guard_against_spurious_io_errors():
            return self._load_overload(sig, target_context)


# What numba does for Python that kernels do not use: closures, ``with``, expressions of whole arrays, unrolled tuples.
_NEEDLESS = {
    typed_passes.InlineOverloads,
    typed_passes.NopythonRewrites,
    untyped_passes.FindLiterallyCalls,
    untyped_passes.InlineClosureLikes,
    untyped_passes.InlineInlinables,
    untyped_passes.LiteralPropagationSubPipelinePass,
    untyped_passes.LiteralUnroll,
    untyped_passes.MakeFunctionToJitFunction,
    untyped_passes.WithLifting,
}


class KernelCompiler(_Compiler):  # type: ignore[misc]
    """numba's compiler for kernels: what they call is compiled once, for all of them, and by fewer passes."""

    def define_pipelines(self) -> Any:
        """numba's, without the needless."""
        pipelines = super().define_pipelines()
        for manager in pipelines:
            manager.passes = [each for each in manager.passes if each[0] not in _NEEDLESS]
            manager._finalized = False
            manager.finalize()
        return pipelines

    def _compile_core(self) -> Any:
        own: Any = _Own
        self.state.flags = own(self.state.flags)
        return super()._compile_core()


class PartCompiler(KernelCompiler):
    """The same for parts: with a ``PartLibrary`` to put the code into."""

    def __init__(self, typing_context: Any, target_context: Any, library: Any, *rest: Any) -> None:
        """As numba's, which passes a library only where it wants the code in that one."""
        part: Any = PartLibrary(target_context.codegen(), "part") if library is None else library
        super().__init__(typing_context, target_context, part, *rest)

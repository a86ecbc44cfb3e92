"""How the small functions inside kernels are compiled: as parts, to be linked and optimised in the kernel alone.

numba compiles each function by itself, optimises it with LLVM, and optimises it again inside each function that calls
it, layer by layer; for functions that exist only to be inlined, all but the last is wasted: it was three quarters of
the time that a search took to compile. A part stops after lowering, and cannot be called from Python.
"""

import ctypes
import gc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from llvmlite import binding  # type: ignore[import-untyped]
from numba.core import (
    base,
    caching,
    codegen,
    compiler,
    postproc,
    serialize,
    transforms,
    typed_passes,
    types,
    untyped_passes,
)
from numba.core.typing import context

from nimdesk import compiler_process
from nimdesk.kernels import CACHE_IS_KEPT

# numba's own annotations say too little.
_Cache: Any = caching.FunctionCache
_Library: Any = codegen.CPUCodeLibrary
_JitLibrary: Any = codegen.JITCodeLibrary
_Flags: Any = compiler.Flags
_Compiler: Any = compiler.Compiler
_Context: Any = context.BaseContext
_transforms: Any = transforms
_pickled: Any = serialize.dumps
_REFRESH = _Context.refresh


class _NoMachineCode:
    """Stands for the code generator where an environment would be given to machine code."""

    def set_env(self, env_name: str, env: object) -> None:
        """There is no machine code: the kernel that the part is linked into has its own environment."""


class LargeKernelLibrary(_JitLibrary):  # type: ignore[misc]
    """A kernel that is optimised once.

    numba does it twice, to find the counting of references that it can leave out, of which there is none here. Small
    kernels gain a little by it all the same.
    """

    def __init__(self, *args: Any) -> None:
        """As numba's, to be kept in the cache."""
        super().__init__(*args)
        self.enable_object_caching()

    def _optimize_final_module(self) -> None:
        passes, builder = self._codegen._module_pass_manager()
        passes.run(self._final_module, builder)


class PartLibrary(_Library):  # type: ignore[misc]
    """LLVM code that is linked into others and never runs by itself."""

    _shared_module: Any

    @property
    def codegen(self) -> Any:
        """What numba tells the environment of a compiled function to."""
        return _NoMachineCode()

    def get_pointer_to_function(self, name: str) -> int:
        """Where Python gets that calls the part: a function that does nothing but raise TypeError."""
        return ctypes.cast(ctypes.pythonapi.PyErr_BadArgument, ctypes.c_void_p).value or 0

    def _optimize_functions(self, ll_module: Any) -> None:
        pass

    def _optimize_final_module(self) -> None:
        pass

    def _finalize_final_module(self) -> None:
        self._finalize_dynamic_globals()
        self._finalized = True

    def _get_module_for_linking(self) -> Any:
        # As numba's, but for a copy: nobody needs the module as it was.
        if self._shared_module is None:
            self._ensure_finalized()
            for function in self._final_module.functions:
                if not function.is_declaration and function.linkage == binding.Linkage.external:
                    function.linkage = "linkonce_odr"
            self._shared_module = self._final_module
        return self._shared_module


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
        """The compiled function for these types, or None; where there is a process to compile it, after that."""
        found = self._found(sig, target_context)
        process = compiler_process.current()
        if found is None and process is not None and CACHE_IS_KEPT:
            function = self._py_func
            if process.compile(function.__module__, function.__qualname__, _pickled(sig)):
                found = self._found(sig, target_context)
        return found

    def _found(self, sig: Any, target_context: Any) -> Any:
        with self._guard_against_spurious_io_errors():
            return self._load_overload(sig, target_context)


# What numba does for Python that kernels do not use: closures, ``with``, expressions of whole arrays, unrolled tuples,
# and a statement wherever a variable is no longer needed: as many as there are others.
_NEEDLESS = {
    typed_passes.IRLegalization,
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


def _nothing() -> None:
    pass


def _in_order(processor: Any, *_: Any, **__: Any) -> None:
    """All that kernels need of what numba does after each pass: generators have more, and objects that are counted."""
    processor.func_ir.blocks = _transforms.canonicalize_cfg(processor.func_ir.blocks)


def _sizes() -> Callable[[Any, Any], int]:
    """What answers how many bytes a type has once; LLVM is asked through a module of text."""
    size_of: Any = base.BaseContext.get_abi_sizeof
    known: dict[str, int] = {}

    def known_size(self: Any, kind: Any) -> int:
        size = known.get(str(kind))
        if size is None:
            size = known[str(kind)] = int(size_of(self, kind))
        return size

    return known_size


def _remembering() -> Callable[..., Any]:
    """What answers the same question about the types of a call once, which numba asks again and again."""
    resolve = _Context.resolve_function_type
    known: dict[Any, Any] = {}

    def remembered(self: Any, function: Any, args: Any, kws: Any) -> Any:
        # Named are questions that are not about types alone, such as of an index that is known.
        if kws or isinstance(function, (str, types.Dispatcher)):
            return resolve(self, function, args, kws)
        question = function, tuple(args)
        answer = known.get(question)
        if answer is None:
            answer = known[question] = resolve(self, function, args, kws)
        return answer

    return remembered


def _refreshing() -> Callable[[Any], None]:
    """What to do in place of going through all that numba knows, at each part and each new kind of call.

    All of it has been imported by then, and only registries that have grown are of interest.
    """
    sizes: dict[tuple[int, int], int] = {}

    def refresh(self: Any) -> None:
        for registry, loader in tuple(self._registries.items()):
            which = id(self._registries), id(registry)
            size = sum(len(getattr(registry, items)) for items in loader.registry_items)
            if sizes.get(which) != size:
                sizes[which] = size
                self.install_registry(registry)
        if isinstance(self, base.BaseContext):
            refresh(self.typing_context)

    return refresh


@contextmanager
def _replaced(name: str, by: Callable[..., Any], *owners: Any) -> Iterator[None]:
    """Put this in place of a function of numba; only for who holds its compiler lock."""
    before = [getattr(owner, name) for owner in owners]
    for owner in owners:
        setattr(owner, name, by)
    try:
        yield
    finally:
        for owner, function in zip(owners, before, strict=True):
            setattr(owner, name, function)


@contextmanager
def _without_garbage_collection() -> Iterator[None]:
    """A compilation makes millions of objects and drops hardly any: to look through them is a tenth of its time."""
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collecting:
            gc.enable()


class KernelCompiler(_Compiler):  # type: ignore[misc]
    """numba's compiler for kernels: what they call is compiled once, for all of them, and by fewer passes."""

    def __init__(self, *args: Any) -> None:
        """As numba's, which imports all that it can compile, and scipy to see whether that has linear algebra."""
        from numba.np import linalg  # lazy: needless for kernels that are found in the cache

        with _replaced("ensure_blas", _nothing, linalg):
            super().__init__(*args)

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
        if _Context.refresh is not _REFRESH:  # inside another kernel
            return super()._compile_core()
        with (
            _without_garbage_collection(),
            _replaced("refresh", _refreshing(), base.BaseContext, _Context),
            _replaced("resolve_function_type", _remembering(), _Context),
            _replaced("get_abi_sizeof", _sizes(), base.BaseContext),
            _replaced("run", _in_order, postproc.PostProcessor),
        ):
            return super()._compile_core()


class LargeKernelCompiler(KernelCompiler):
    """The same for large kernels, with a ``LargeKernelLibrary`` to put the code into."""

    library_type: Any = LargeKernelLibrary

    def __init__(self, typing_context: Any, target_context: Any, library: Any, *rest: Any) -> None:
        """As numba's, which passes a library only where it wants the code in that one."""
        own = self.library_type(target_context.codegen(), "nimdesk") if library is None else library
        super().__init__(typing_context, target_context, own, *rest)


class PartCompiler(LargeKernelCompiler):
    """The same for parts, with a ``PartLibrary``."""

    library_type: Any = PartLibrary

"""How the small functions inside kernels are compiled: as parts, to be linked and optimised in the kernel alone.

numba compiles each function by itself, optimises it with LLVM, and optimises it again inside each function that calls
it, layer by layer; for functions that exist only to be inlined, all but the last is wasted: it was three quarters of
the time that a search took to compile. A part stops after lowering, and cannot be called from Python.
"""

import gc
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from numba.core import (
    base,
    caching,
    compiler,
    compiler_machinery,
    cpu,
    errors,
    event,
    interpreter,
    lowering,
    postproc,
    serialize,
    transforms,
    typed_passes,
    typeinfer,
    types,
    untyped_passes,
)
from numba.core.rewrites import static_getitem
from numba.core.types import functions
from numba.core.typing import context

from nimdesk import compiler_process
from nimdesk.kernels import CACHE_IS_KEPT, shortcuts
from nimdesk.kernels.libraries import KernelLibrary, LargeKernelLibrary, PartLibrary

# numba's own annotations say too little.
_Cache: Any = caching.FunctionCache
_Flags: Any = compiler.Flags
_Compiler: Any = compiler.Compiler
_Context: Any = context.BaseContext
_transforms: Any = transforms
_pickled: Any = serialize.dumps
_register_pass: Any = compiler_machinery.register_pass
_GenericRewrites: Any = untyped_passes.GenericRewrites
_WarningsFixer: Any = vars(errors)["WarningsFixer"]
_TranslateByteCode: Any = untyped_passes.TranslateByteCode
_ByteCodeInterpreter: Any = interpreter.Interpreter
_KnownIndex: Any = static_getitem.RewriteConstGetitems
_REFRESH = _Context.refresh


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
    typed_passes.AnnotateTypes,
    typed_passes.DumpParforDiagnostics,
    typed_passes.IRLegalization,
    typed_passes.InlineOverloads,
    typed_passes.NopythonRewrites,
    typed_passes.NoPythonSupportedFeatureValidation,
    untyped_passes.DeadBranchPrune,
    untyped_passes.FindLiterallyCalls,
    untyped_passes.InlineClosureLikes,
    untyped_passes.InlineInlinables,
    untyped_passes.LiteralPropagationSubPipelinePass,
    untyped_passes.LiteralUnroll,
    untyped_passes.MakeFunctionToJitFunction,
    untyped_passes.RewriteDynamicRaises,
    untyped_passes.RewriteSemanticConstants,
    untyped_passes.WithLifting,
}


class _Interpreter(_ByteCodeInterpreter):  # type: ignore[misc]
    def post_process(self, peepholes: Any, func_ir: Any) -> Any:
        """Leave what it has found: kernels have no ``with``, and no calls with lists of arguments."""
        return func_ir


@_register_pass(mutates_CFG=True, analysis_only=False)
class _Translation(_TranslateByteCode):  # type: ignore[misc]
    """From Python's code to statements."""

    _name = "translation"

    def run_pass(self, state: Any) -> bool:
        """As numba's, by another interpreter."""
        state["func_ir"] = _Interpreter(state["func_id"]).interpret(state["bc"])
        return True


@_register_pass(mutates_CFG=True, analysis_only=False)
class _KnownIndices(_GenericRewrites):  # type: ignore[misc]
    """Of what numba writes in another way before it looks at types, all that kernels need: ``row[0]`` of a tuple."""

    _name = "known_indices"

    def run_pass(self, state: Any) -> bool:
        """Look into each block once, in which each element stands by itself."""
        for key, block in state.func_ir.blocks.items():
            rewrite = _KnownIndex(state)
            if rewrite.match(state.func_ir, block, None, None):
                state.func_ir.blocks[key] = rewrite.apply()
        return True


_OWN = {_GenericRewrites: _KnownIndices, _TranslateByteCode: _Translation}


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

    library_type: Any = KernelLibrary

    def __init__(self, typing_context: Any, target_context: Any, library: Any, *rest: Any) -> None:
        """As numba's, which passes a library only where it wants the code in that one."""
        own = self.library_type(target_context.codegen(), "nimdesk") if library is None else library
        with (
            _replaced("load_additional_registries", shortcuts.load_code, cpu.CPUContext),
            _replaced("load_additional_registries", shortcuts.load_types, context.Context),
        ):
            super().__init__(typing_context, target_context, own, *rest)

    def define_pipelines(self) -> Any:
        """numba's, without the needless."""
        pipelines = super().define_pipelines()
        for manager in pipelines:
            passes = [each for each in manager.passes if each[0] not in _NEEDLESS]
            manager.passes = [
                (_KnownIndices, "") if each[0] is untyped_passes.GenericRewrites else each for each in passes
            ]
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
            _replaced("get_call_type", shortcuts.call_types(), functions.BaseFunction),
            _replaced("_has_loc", shortcuts.takes_place(), base),
            _replaced("catch_warnings", shortcuts.warn_at_once, _WarningsFixer),
            _replaced("new_error_context", shortcuts.ErrorContext, typeinfer, lowering),
            _replaced("start_event", shortcuts.tell_nobody, event),
            _replaced("end_event", shortcuts.tell_nobody, event),
        ):
            return super()._compile_core()


class LargeKernelCompiler(KernelCompiler):
    """The same for large kernels, with a ``LargeKernelLibrary`` to put the code into."""

    library_type: Any = LargeKernelLibrary


class PartCompiler(KernelCompiler):
    """The same for parts, with a ``PartLibrary``."""

    library_type: Any = PartLibrary

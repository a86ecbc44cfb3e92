"""Where the code of kernels and their parts is kept while it is compiled: as LLVM code, linked in the kernel alone."""

import ctypes
from typing import Any

from llvmlite import binding  # type: ignore[import-untyped]
from numba.core import codegen

# numba's own annotations say too little.
_Library: Any = codegen.CPUCodeLibrary
_JitLibrary: Any = codegen.JITCodeLibrary


class _NoMachineCode:
    """Stands for the code generator where an environment would be given to machine code."""

    def set_env(self, env_name: str, env: object) -> None:
        """There is no machine code: the kernel that the part is linked into has its own environment."""


class PartLibrary(_Library):  # type: ignore[misc]
    """The LLVM code of one part, which is linked into kernels and never runs by itself."""

    def __init__(self, codegen: Any, name: str) -> None:
        """Without the empty module that others link theirs into."""
        super(_Library, self).__init__(codegen, name)
        self._linking_libraries: list[Any] = []
        self._final_module: Any = None
        self._whole_module: Any = None

    @property
    def codegen(self) -> Any:
        """What numba tells the environment of a compiled function to."""
        return _NoMachineCode()

    def get_pointer_to_function(self, name: str) -> int:
        """Where Python gets that calls the part: a function that does nothing but raise TypeError."""
        return ctypes.cast(ctypes.pythonapi.PyErr_BadArgument, ctypes.c_void_p).value or 0

    def add_ir_module(self, ir_module: Any) -> None:
        """Take the code of the part, which is all that there ever is; each kernel may have it, and leave it out."""
        for function in ir_module.functions:
            if function.blocks:
                function.linkage = "linkonce_odr"
        self._final_module = binding.parse_assembly(str(ir_module))

    def finalize(self) -> None:
        """It is done: what it calls is for the kernel to link."""
        self._finalized = True

    def _get_module_for_linking(self) -> Any:
        """With all that it calls, for what knows nothing of parts."""
        if self._whole_module is None:
            self._whole_module = self._final_module.clone()
            for other in _link(self._whole_module, self._linking_libraries):
                self._whole_module.link_in(other._get_module_for_linking(), preserve=True)
        return self._whole_module


def _link(module: Any, libraries: list[Any]) -> list[Any]:
    """Link these parts into the module, and all that they call, each once; the libraries that are no parts."""
    found, others = set(), []
    waiting = libraries[::-1]
    while waiting:
        library = waiting.pop()
        if library in found:
            continue
        found.add(library)
        if isinstance(library, PartLibrary):
            module.link_in(library._final_module, preserve=True)
            waiting += library._linking_libraries[::-1]
        else:
            others.append(library)
    return others


class KernelLibrary(_JitLibrary):  # type: ignore[misc]
    """A kernel, with its parts."""

    _linking_libraries: list[Any]

    def __init__(self, *args: Any) -> None:
        """As numba's, to be kept in the cache."""
        super().__init__(*args)
        self.enable_object_caching()

    def finalize(self) -> None:
        """Link the parts, compile, and make it ready to be called."""
        self._linking_libraries = _link(self._final_module, self._linking_libraries)
        super().finalize()


class LargeKernelLibrary(KernelLibrary):
    """A kernel that is optimised once.

    numba does it twice, to find the counting of references that it can leave out, of which there is none here. Small
    kernels gain a little by it all the same.
    """

    def _optimize_functions(self, ll_module: Any) -> None:
        ll_module.data_layout = self._codegen._data_layout

    def _optimize_final_module(self) -> None:
        passes, builder = self._codegen._module_pass_manager()
        passes.run(self._final_module, builder)

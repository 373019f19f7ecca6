# Configuration of the lit suite. Tests name the tools without a path.
import os
import shutil

import lit.formats
from lit.llvm import llvm_config

config.name = "Cascade"
config.test_format = lit.formats.ShTest(not llvm_config.use_lit_shell)
config.suffixes = [".mlir", ".test"]
config.excludes = ["lit.cfg.py", "Inputs", "lib"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = os.path.join(config.cascade_obj_root, "test")

llvm_config.use_default_substitutions()
llvm_config.add_tool_substitutions(
    [
        "cascade-opt",
        "cascade-compile",
        "cascade-run",
        "cascade-launch",
        "cascade-bench-report",
        "cascade-sweep",
        "cascade-fuzz",
        "cascade-oracle",
        "cascade-collectives",
        "cascade-lsp-server",
        "mlir-translate",
        "llc",
        "not",
    ],
    [config.cascade_tools_dir, config.llvm_tools_dir],
)
llvm_config.with_environment("PATH", config.cascade_tools_dir, append_path=True)
llvm_config.with_environment("PATH", config.llvm_tools_dir, append_path=True)
config.substitutions.append(("%cxx", config.cascade_cxx))
config.substitutions.append(("%build_dir", config.cascade_obj_root))
config.substitutions.append(("%examples", os.path.join(config.cascade_src_root, "python-free-examples")))

ptxas = shutil.which("ptxas") or "/usr/local/cuda/bin/ptxas"
if os.path.exists(ptxas):
    config.available_features.add("ptxas")
    config.substitutions.append(("%ptxas", ptxas))
if os.path.exists("/dev/nvidia0"):
    config.available_features.add("gpu")

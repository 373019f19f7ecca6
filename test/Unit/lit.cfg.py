# GoogleTest binaries, one test a case.
import os

import lit.formats

config.name = "CascadeUnit"
config.suffixes = []
config.test_source_root = os.path.join(config.cascade_obj_root, "test", "Unit")
config.test_exec_root = config.test_source_root
config.test_format = lit.formats.GoogleTest(".", "Tests")

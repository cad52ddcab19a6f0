"""The installed package, from a folder that is not the source's."""
import pathlib
import sys

import tilelift

own = pathlib.Path(tilelift.__file__).parent
lifted = tilelift.lift(pathlib.Path(sys.argv[1]).read_text(), blocks={"lone": 128})
headers = pathlib.Path(tilelift.include_path())
assert headers == own / "include" and (headers / "tilelift" / "tilelift.cuh").is_file(), headers
assert (own / "py.typed").is_file()
print(f"tilelift {tilelift.version()}, typed, lifts {', '.join(lifted.kernels)}; headers are its own")

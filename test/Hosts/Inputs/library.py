"""The package's lift(): texts, messages, launchers, and many threads."""
import pathlib
import sys
from concurrent.futures import ThreadPoolExecutor

import tilelift

folder = pathlib.Path(sys.argv[1])
lone, program = (folder / "lone.cu").read_text(), (folder / "kernels.cu").read_text()
include = [f"-I{folder}"]


def raises(kind, text, function):
    try:
        function()
    except kind as problem:
        assert text in str(problem), problem
        return problem
    raise AssertionError(f"no {kind.__name__}")


lifted = tilelift.lift(lone, arch="sm_90a", blocks={"lone": 128}, remarks=True)
assert lifted.kernels == ("lone",) and lifted.entries == ("_Z4lonePfPKfii", "_Z8lone_tmaPfPKfii14CUtensorMap_st")
assert "lone_tma(" in lifted.source and "_tma_launch" not in lifted.source
assert lifted.manifest["kernels"][0]["block"] == [128, 1, 1]
assert lifted.launcher().kernel.block == (128, 1, 1) and lifted.launcher() is lifted.launcher("lone")
remark = next(each for each in lifted.diagnostics if each.id == "lifted")
assert remark.severity == "remark" and (remark.file, remark.line) == ("kernel.cu", 5)
assert any(note.message.startswith("at launch: ") for note in remark.notes)
assert repr(lifted) == "Lifted(lone)"
assert tilelift.lift(lone, blocks={"lone": (32, 4)}, check=False).diagnostics, "the copy needs 128 threads in x"

# Kernels by entry name, with those that there are in the error (R3.5, R3.8).
several = tilelift.lift(program, options=include)
assert several.kernels == ("blur", "convolve", "gather<8>", "gather<16>")
assert several.launcher("gather<16>") is several.launcher("_Z6gatherILi16EEvPfPKfPKii")
raises(LookupError, "no lifted kernel is called 'blurr'; available are blur, images::convolve, gather<8>, gather<16>",
       lambda: several.launcher("blurr"))
raises(LookupError, "which kernel is meant is not said; available are blur", several.launcher)

# Of two of one name the one that is called so, or the qualified name.
spaces = tilelift.lift(lone + "\nnamespace ours {\n" + lone.split("\n", 1)[1] + "}\n", blocks={"lone": 128})
assert spaces.launcher("lone").kernel.entry == "_Z4lonePfPKfii"
assert spaces.launcher("ours::lone").kernel.entry == "_ZN4ours4loneEPfPKfii"
raises(LookupError, "available are lone, ours::lone", lambda: spaces.launcher("theirs::lone"))

# An instance by its template's name, as block sizes are said, if it is the only one.
one = tilelift.lift(lone.replace("__global__", "namespace ours { template <int N> __global__") +
                    "template __global__ void lone<2>(float *, const float *, int, int); }\n", blocks={"ours::lone": 128})
assert one.launcher("ours::lone<2>") is one.launcher("lone<2>") is one.launcher("ours::lone") is one.launcher("lone")
raises(LookupError, "several kernels are called 'gather'", lambda: several.launcher("gather"))

# A copy that its pragma lets stay a loop is no error, and what is said of others tells why.
stays = lone.replace("#pragma tma load", "#pragma tma load fallback(loop)")
assert stays != lone
assert [(each.severity, each.id) for each in tilelift.lift(stays).diagnostics] == [("warning", "stays-plain")]
raises(tilelift.LiftError, "error: the block size of 'other' is not visible", lambda: tilelift.lift(
    stays + lone.split("\n", 1)[1].replace("lone", "other")))

# What does not lift, or not compile.
problem = raises(tilelift.LiftError, "kernel.cu:4:1: error: the block size of 'lone' is not visible",
                 lambda: tilelift.lift(lone))
assert [each.id for each in problem.diagnostics] == ["unknown-block"]
raises(tilelift.LiftError, "mine.cu:1:6: error: expected ';' after top level declarator",
       lambda: tilelift.lift("int x", file_name="mine.cu"))
raises(tilelift.LiftError, "error: unknown argument: '-frobnicate'", lambda: tilelift.lift(lone, options=["-frobnicate"]))
raises(tilelift.LiftError, "'lone=0' is no block size", lambda: tilelift.lift(lone, blocks={"lone": 0}))
raises(tilelift.LiftError, "unknown", lambda: tilelift.lift(lone, blocks={"lone": 128}, warnings=["no-such-thing"]))
# A source is a text, bytes, or the path of a file, by which messages then name it.
same = tilelift.lift(lone.encode(), arch="sm_90a", blocks={"lone": 128}).source
assert same == lifted.source
of_path = tilelift.lift(folder / "lone.cu", arch="sm_90a", blocks={"lone": 128}).source
assert of_path.replace("lone.cu", "kernel.cu") == same
of_file = tilelift.lift(folder / "lone.cu", blocks={"lone": 128}, remarks=True).diagnostics
assert of_file[0].file == str(folder / "lone.cu"), of_file[0].file
raises(FileNotFoundError, "none.cu", lambda: tilelift.lift(pathlib.Path("none.cu")))

# Options as flags, or by the names that cuda.core has for them.
wide = "#ifndef WIDTH\n#error no width\n#endif\n" + lone
for given in (["-DWIDTH=4"], {"define_macro": "WIDTH"}, {"define_macro": {"WIDTH": 4}}, {"define_macro": [("WIDTH", 4), "OTHER"]},
              {"define_macro": ["WIDTH"], "include_path": folder, "std": "c++17", "undefine_macro": "OTHER"}):
    assert tilelift.lift(wide, options=given, blocks={"lone": 128}).kernels == ("lone",), given
assert tilelift.lift(lone, options={"pre_include": "cstdio", "include_path": [folder]},
                     blocks={"lone": 128}).kernels == ("lone",)
raises(TypeError, "no option is called 'defines'; there are define_macro, undefine_macro, include_path, pre_include, std",
       lambda: tilelift.lift(lone, options={"defines": "X"}))
raises(TypeError, "'options' is the text '-DX'", lambda: tilelift.lift(lone, options="-DX"))
assert tilelift.__version__ == tilelift.version() == "0.1.0"

# Without a pragma there is nothing to lift (R3.6).
assert tilelift.lift("int x;").kernels == ()
raises(LookupError, "available are none", lambda: tilelift.lift("int x;").launcher("blur"))

# From a pool of threads, each as by itself.
sizes = [16, 32, 64, 8]
alone = [tilelift.lift(lone.replace("32", str(n)).replace("1024", str(n * n)), blocks={"lone": 128}, check=False).source
         for n in sizes]
with ThreadPoolExecutor(4) as pool:
    made = list(pool.map(lambda n: tilelift.lift(lone.replace("32", str(n)).replace("1024", str(n * n)),
                                                 blocks={"lone": 128}, check=False).source, sizes * 3))
assert made == alone * 3
print("passed")

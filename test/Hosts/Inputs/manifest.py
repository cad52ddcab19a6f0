"""Reads a manifest as a framework would."""
import json
import sys

with open(sys.argv[1]) as file:
    manifest = json.load(file)
assert manifest["manifest"] == 1 and manifest["source"] == "kernels.cu", manifest
kernels = {kernel["name"]: kernel for kernel in manifest["kernels"]}
assert list(kernels) == ["blur", "convolve", "gather<8>", "gather<16>"], list(kernels)

blur = kernels["blur"]
assert [a["name"] for a in blur["arguments"]] == ["out", "in", "w", "h"]
assert blur["arguments"][1] == {"name": "in", "type": "const float *", "kind": "pointer", "signed": False, "bytes": 8,
                                "alignment": 8}
assert blur["block"] == [128, 1, 1] and blur["fallback"] == "plain"
[tile] = blur["tensors"]
assert tile["mode"] == "tile" and tile["box"] == [32, 32] and tile["map"] == "tile_map" and tile["address"] == "in"
assert tile["element"] == "f32" and tile["swizzle"] == 0 and tile["promotion"] == 128
assert tile["offset"] == "0" and tile["readsStart"] is True, tile
assert tile["boxStarts"] == ["32 * block_index(0)", "32 * block_index(1)"], tile
assert tile["extents"] == [{"elements": "w", "text": "w"},
                           {"elements": "h", "text": "h", "stride": "4 * w", "strideText": "w * 4"}], tile["extents"]

convolve = kernels["convolve"]
assert convolve["arguments"][2]["kind"] == "object" and convolve["arguments"][2]["bytes"] == 16
[pixels] = convolve["tensors"]
assert pixels["mode"] == "im2col" and pixels["channels"] == 64 and pixels["pixels"] == 32 and pixels["swizzle"] == 128
walk = pixels["extents"][1]["walk"]
assert walk == {"count": "lambda.q", "step": "1", "stepText": "1", "first": "-lambda.pad",
                "firstText": "-lambda.pad"}, walk
offset = [c for c in convolve["checks"] if c["rule"] == "pixel-offset"]
assert offset == [{"kind": "range", "rule": "pixel-offset", "value": "counted(0, S, 1)", "low": 0, "high": 65535,
                   "text": "s"}], offset

gather = kernels["gather<16>"]
assert gather["tensors"] == [{"mode": "bulk", "tile": "tile", "tensor": "table", "address": "table"}]
assert {"kind": "multiple", "rule": "bulk-offset-16", "value": "4 * width", "multiple": 16,
        "text": "width * 4"} in gather["checks"]
print("passed")

import json
import sys

relations = json.load(open(sys.argv[1]))
assert len(relations) == 6, len(relations)


def cells(relation):
    return [(c["byte"], c["size"], sorted((k["when"], k["from"]) for k in c["cases"]))
            for c in relation["cells"]]


first = cells(relations[0])
assert len(first) == 256
byte, size, cases = first[33]  # tile[1][1]
assert (byte, size) == (132, 4)
assert ("w * blockIdx.y * 32 + blockIdx.x * 128 - 12" in cases[0][1]
        or "w * blockIdx.y * 32 + blockIdx.x * 128 - 12" in cases[1][1]), cases
assert any(source == "constant 0" for _, source in cases), cases
for relation in relations[1:]:
    assert cells(relation) == first, relation["kernel"]

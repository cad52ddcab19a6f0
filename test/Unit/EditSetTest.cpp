// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "text/EditSet.h"

#include "gtest/gtest.h"

using namespace tilelift;

namespace {

const char file[] = "one\ntwo\nthree\nfour\n";

TEST(EditSet, appliesInOrderOfThePlace) {
  EditSet edits;
  edits.replace(8, 13, "3");
  edits.replace(0, 3, "1");
  EXPECT_EQ(edits.apply(file), "1\ntwo\n3\nfour\n");
}

TEST(EditSet, repeatsStretchesOfTheFile) {
  EditSet edits;
  edits.add({14, 14, {Piece::own("// again\n"), Piece::copy(4, 8), Piece::copy(4, 8)}});
  EXPECT_EQ(edits.apply(file), "one\ntwo\nthree\n// again\ntwo\ntwo\nfour\n");
}

TEST(EditSet, lineDirectivesLeadBackToTheFile) {
  EditSet edits;
  edits.add({14, 14, {Piece::own("// again\n"), Piece::copy(4, 8)}});
  EXPECT_EQ(edits.applyWithLines(file, "f.cu"), "#line 1 \"f.cu\"\none\ntwo\nthree\n// again\n"
                                                "#line 2 \"f.cu\"\ntwo\n#line 4 \"f.cu\"\nfour\n");
}

TEST(EditSet, aDirectiveWaitsForTheEndOfItsLine) {
  EditSet edits;
  edits.replace(4, 7, "a\nb\nc"); // two lines more, ends within a line
  EXPECT_EQ(edits.applyWithLines(file, "f.cu"),
            "#line 1 \"f.cu\"\none\na\nb\nc\n#line 3 \"f.cu\"\nthree\nfour\n");
}

} // namespace

// Faults in posts with replies and a first comment, on the networks other than those of Meta.
import { testParts } from "./parts-suite.ts";

testParts("others");

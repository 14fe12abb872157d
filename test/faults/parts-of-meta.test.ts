// Faults in posts with replies and a first comment, on the networks of Meta.
import { testParts } from "./parts-suite.ts";

testParts("of Meta");

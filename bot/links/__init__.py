"""Outside issues a roundtable is linked to, and the comment its conclusion becomes."""

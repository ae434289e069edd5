"""What screens are made of. A widget shows what it is given and posts what a person did."""

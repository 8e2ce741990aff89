"""What all rules that become machine code share: LLVM text, and what is made of it."""

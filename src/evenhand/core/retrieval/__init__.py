"""What was asked and what came back? Golden questions, judgements, rankings."""

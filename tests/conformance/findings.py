"""What a reading comes to: where the traffic breaks the page, and how often each thing was seen at all."""

from collections import Counter

PRINTED_MAX = 20


class Findings:
    def __init__(self):
        self.line = 0
        self.broken = []  # (line, rule, what)
        self.seen = Counter()

    def add(self, rule, what):
        self.broken.append((self.line, rule, what))

    def check(self, holds, rule, what):
        """Counts the rule as looked at; adds a finding where it does not hold. Returns whether it does."""
        self.seen[f"checked {rule}"] += 1
        if not holds:
            self.add(rule, what() if callable(what) else what)
        return holds

    def saw(self, what):
        self.seen[what] += 1

    def report(self, out):
        for line, rule, what in self.broken[:PRINTED_MAX]:
            print(f"line {line}: {rule}: {what}", file=out)
        if len(self.broken) > PRINTED_MAX:
            print(f"and {len(self.broken) - PRINTED_MAX} more", file=out)

"""Workers that are killed with `kill -9`, again and again, while many sessions have something written down in order.

Every message asks for one entry in a ledger, by a tool that is a plain write: nothing may be lost, nothing may be written twice, and the
entries of a session have to be in the order of its messages. A write that was killed half-way is `unknown`, and is said to be so.
"""

"""The working side: fetch, keep, discover, and later study, learn and plan. Knows ports, not adapters."""

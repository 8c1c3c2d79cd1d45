def changed_default(value: str, since: str, before: str) -> str:
    """How a default reads that a release changed."""
    return f"{value} since {since}, {before} before"

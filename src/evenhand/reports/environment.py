"""How are templates filled? They escape every value, and an undefined one is an error.

Load this module on use: it brings Jinja2.
"""

from __future__ import annotations

from jinja2 import BaseLoader, Environment, StrictUndefined

from evenhand.reports import comparison_wording, wording
from evenhand.reports.charts import difference_scale, percent
from evenhand.reports.comparison_parts import page_scales


def build_environment(loader: BaseLoader) -> Environment:
    """An environment with what the templates of `reports` call.

    Args:
        loader: where the templates are.
    """
    made = Environment(
        loader=loader,
        autoescape=True,
        undefined=StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
    made.filters["percent"] = percent
    made.globals["difference_scale"] = difference_scale
    made.globals["page_scales"] = page_scales
    made.globals["wording"] = wording
    made.globals["comparing"] = comparison_wording
    return made

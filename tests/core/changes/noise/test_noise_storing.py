from dataclasses import fields

from strandline.core.changes.noise.noise_storing import FIELDS, noise_fields, stored_noise
from strandline.core.changes.noise.volatility import NoiseState


def test_all_that_is_learned_is_kept():
    state = NoiseState(comparisons=7, items={5: None}, slots={9: (1, 4)}, masked_paths={3}, ratings={8: "noise"})
    kept = {name: getattr(state, name) for name in FIELDS}
    assert noise_fields(stored_noise(kept)) == kept
    assert set(FIELDS) == {field.name for field in fields(NoiseState) if field.compare}

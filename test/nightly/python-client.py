"""Run by python-client.nightly.ts: requests and responses through the client generated into the folder `client`."""

import datetime
import json
import sys

sys.path.insert(0, sys.argv[1])

from client import models  # noqa: E402
from client.api.jobs import create_job, get_job  # noqa: E402

URL = "https://photos.example.com/front.jpg"

options = models.OptionsRoofReplacement(
    material=models.OptionsRoofReplacementMaterial.SLATE, resolution=models.Resolution("4K")
)
by_url = models.CreateRoofReplacementJobByUrl(tool="roof-replacement", image_url=URL, options=options)
assert by_url.to_dict() == {
    "tool": "roof-replacement",
    "image_url": URL,
    "options": {"material": "slate", "resolution": "4K"},
}, by_url.to_dict()

by_base64 = models.CreateDeclutterJobByBase64(tool="declutter", image_base64="AAAA")
assert by_base64.to_dict() == {"tool": "declutter", "image_base64": "AAAA"}, by_base64.to_dict()

for missing_image in (models.CreateDeclutterJobByUrl, models.CreateDeclutterJobByBase64):
    try:
        missing_image(tool="declutter")
        sys.exit(f"{missing_image.__name__} needs no image")
    except TypeError:
        pass

request = create_job._get_kwargs(body=by_base64, idempotency_key="listing-4711-photo-3")
assert request["headers"]["Idempotency-Key"] == "listing-4711-photo-3", request
assert request["json"] == by_base64.to_dict(), request
assert get_job._get_kwargs(id="7c6c4f0e-2f0b-4c43-9d0a-6f0a3c8e51b7")["url"].startswith("/v1/jobs/7c6c")

document = json.load(open(sys.argv[2], encoding="utf-8"))


def examples_of(path: str, method: str, status: str) -> dict:
    media = document["paths"][path][method]["responses"][status]["content"]["application/json"]
    return {name: example["value"] for name, example in media["examples"].items()}


for name, value in examples_of("/v1/jobs/{id}", "get", "200").items():
    job = models.Job.from_dict(value)
    assert job.to_dict().keys() == value.keys(), name
    assert job.status == models.JobStatus(value["status"]), name
    assert job.completed_at is None or isinstance(job.completed_at, datetime.datetime), name

for value in examples_of("/v1/jobs", "post", "400").values():
    assert models.Error.from_dict(value).error.code == models.ErrorCode(value["error"]["code"])

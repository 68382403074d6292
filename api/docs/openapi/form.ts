import { Type } from 'typebox';
import { CreateJob } from '../../../lib/contract/schemas.ts';
import type { Examples, OpenApiOperation } from './types.ts';

const { tool, options, webhook_url } = CreateJob.properties;

const JobFields = Type.Object(
  { tool, options, webhook_url },
  {
    title: 'JobFields',
    description:
      'The fields of the JSON body without the image. For the options of a tool, see the schema of that tool.',
  },
);

const CreateJobForm = Type.Object(
  {
    job: JobFields,
    image: Type.Optional(
      Type.String({
        format: 'binary',
        description:
          'The file, at most 20 MB. Its Content-Type selects the format of the result: `image/jpeg`, `image/png` or `image/webp`. Without one, or as `application/octet-stream`, it is JPEG.',
      }),
    ),
  },
  {
    title: 'CreateJobForm',
    additionalProperties: false,
    description:
      'An addition to version 1: uploads a file as it is. The part `job` is JSON in UTF-8; the parts may be in any order, and there are no others. Leave the part `image` out if `job` has an `image_url`.',
  },
);

const EXAMPLES: Examples = {
  file: {
    summary: 'A file',
    value: { job: { tool: 'declutter', options: { resolution: '4K' } }, image: '(bytes of room.jpg)' },
  },
};

/** Adds the form to the request body of POST /v1/jobs, which the route declares as JSON only. */
export function addForm({ operationId, requestBody }: OpenApiOperation): void {
  if (operationId !== 'createJob' || requestBody === undefined) return;
  requestBody.content['multipart/form-data'] = {
    schema: JSON.parse(JSON.stringify(CreateJobForm)),
    encoding: {
      job: { contentType: 'application/json' },
      image: { contentType: 'image/jpeg, image/png, image/webp' },
    },
    examples: EXAMPLES,
  };
}

export const USAGE = `Usage: image-job <command> [options]

  edit PHOTO|FOLDER... --tool SLUG    edits photos; an interrupted run is continued by the same command
    --option KEY=VALUE                an option of the tool, once for each; lists are separated by commas
    -o, --output PATH                 the result of one photo, or the folder for several (then required)
    --record ID                       part of the Idempotency-Key: with another ID the same photo is edited anew
    --concurrency N                   photos at a time, 1 to 16 (4)
    --dry-run                         checks each photo and prints its price; nothing is charged
  tools [SLUG]                        lists the tools, or the options of one
  account                             shows the balance

  --base-url URL                      the service, ends with /api (IMAGE_JOB_BASE_URL)
  --json                              JSON on stdout: a line for each photo, or one value
  -h, --help, --version

The API key is read from IMAGE_JOB_API_KEY.

Exit codes: 0 done, 1 a photo or a request failed, 2 the command is wrong, 130 interrupted.
`;

/** The command line is wrong: exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError';
}

export const USAGE = `Usage: image-job-mcp [--http PORT]

A Model Context Protocol server for Image Job API: over stdio, or over streamable HTTP at http://127.0.0.1:PORT/mcp.

  IMAGE_JOB_API_KEY        an API key of the account
  IMAGE_JOB_BASE_URL       the URL of the service, which ends with /api
  IMAGE_JOB_DIRS           folders whose photos may be edited, separated as in PATH. Without it: the roots of the
                           client over stdio, no folder over HTTP
  IMAGE_JOB_IMAGE_ORIGINS  origins whose photos may be fetched by URL, separated by commas. The user is asked about
                           any other URL, if the client can ask
  IMAGE_JOB_MCP_TOKEN      the token that clients over HTTP must send as Authorization: Bearer
  IMAGE_JOB_MCP_ORIGINS    origins of web pages that may use HTTP, separated by commas

  --help, --version

Exit codes: 0 the client has gone, or a signal; 1 an error; 2 the environment or the command line is wrong.
`;

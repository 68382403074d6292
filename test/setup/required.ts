/** Values for every required variable, for tests that use the configuration without connecting to a server. */
export const REQUIRED = {
  MONGODB_URL: 'mongodb://127.0.0.1:1/?replicaSet=rs0',
  TEMPORAL_ADDRESS: '127.0.0.1:1',
  S3_ENDPOINT: 'http://127.0.0.1:1',
  UPLOAD_URL: 'http://127.0.0.1:1/results',
  PUBLIC_URL: 'http://127.0.0.1:8080/api',
  GENERATORS: 'preview',
};

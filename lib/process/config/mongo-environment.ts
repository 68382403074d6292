import { type Static, Type } from 'typebox';
import { Address, Optional, Text } from './variables.ts';

/** Environment variables of the connection to MongoDB. */
export const MONGO_ENVIRONMENT = {
  MONGODB_URL: Address(
    'Connection string of a MongoDB replica set, with any of its options.',
    'mongodb://127.0.0.1:27017/?replicaSet=rs0',
    {
      pattern: '^mongodb(\\+srv)?://[^/]+',
      expected: 'a connection string that begins with mongodb:// or mongodb+srv://',
    },
  ),
  MONGODB_TLS_CA_FILE: Optional(
    "PEM file of the CA certificates trusted for MongoDB; implies TLS; empty uses the system's.",
  ),
  MONGODB_TLS_CERT_KEY_FILE: Optional(
    'PEM file of the client certificate for MongoDB and its private key (mTLS); implies TLS.',
  ),
  MONGODB_DATABASE: Text('Name of the MongoDB database.', 'image_job_api'),
};

const Mongo = Type.Object(MONGO_ENVIRONMENT);

export const groupMongo = (env: Static<typeof Mongo>) =>
  Object.freeze({
    url: env.MONGODB_URL,
    database: env.MONGODB_DATABASE,
    caFile: env.MONGODB_TLS_CA_FILE,
    certKeyFile: env.MONGODB_TLS_CERT_KEY_FILE,
  });

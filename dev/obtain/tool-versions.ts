import type { Archive, Archives, Program } from './versions.ts';

const kustomize =
  'https://github.com/kubernetes-sigs/kustomize/releases/download/kustomize/v5.8.1/kustomize_v5.8.1';
const kubeconform = 'https://github.com/yannh/kubeconform/releases/download/v0.8.0/kubeconform';
const prometheus = 'https://github.com/prometheus/prometheus/releases/download/v3.11.3/prometheus-3.11.3';
const schemas =
  'https://raw.githubusercontent.com/willthames/kubernetes-validate/v1.36.0/src/kubernetes_validate';

/** Programs that only tests run. Only these releases: what they accept decides what is tested. */
export const tools = {
  kustomize: {
    release: 'v5.8.1',
    goPackage: 'sigs.k8s.io/kustomize/kustomize/v5',
    proof: ['version'],
    archives: {
      'linux-x64': {
        url: `${kustomize}_linux_amd64.tar.gz`,
        sha256: '029a7f0f4e1932c52a0476cf02a0fd855c0bb85694b82c338fc648dcb53a819d',
      },
      'linux-arm64': {
        url: `${kustomize}_linux_arm64.tar.gz`,
        sha256: '0953ea3e476f66d6ddfcd911d750f5167b9365aa9491b2326398e289fef2c142',
      },
      'darwin-x64': {
        url: `${kustomize}_darwin_amd64.tar.gz`,
        sha256: 'ee7cf0c1e3592aa7bb66ba82b359933a95e7f2e0b36e5f53ed0a4535b017f2f8',
      },
      'darwin-arm64': {
        url: `${kustomize}_darwin_arm64.tar.gz`,
        sha256: '8886f8a78474e608cc81234f729fda188a9767da23e28925802f00ece2bab288',
      },
    },
  },
  kubeconform: {
    release: 'v0.8.0',
    goPackage: 'github.com/yannh/kubeconform/cmd/kubeconform',
    proof: ['-v'],
    archives: {
      'linux-x64': {
        url: `${kubeconform}-linux-amd64.tar.gz`,
        sha256: '9bc2bffbf71f261128533edaf912153948b7ff238f9a531ae6d34466ec287883',
      },
      'linux-arm64': {
        url: `${kubeconform}-linux-arm64.tar.gz`,
        sha256: '1f53fc8e81258197a35e8603054162a5af1de8c5af13746c71ab680d9534ed87',
      },
      'darwin-x64': {
        url: `${kubeconform}-darwin-amd64.tar.gz`,
        sha256: '71dbc87ac9f24099a62b93570e65aa06312ba6ac8aea63b7f86e9d999edf5a92',
      },
      'darwin-arm64': {
        url: `${kubeconform}-darwin-arm64.tar.gz`,
        sha256: 'f84f4dfbebf4a6b0b230385fa065a39ea35e02608c2b50d025dcf64775a69d67',
      },
    },
  },
  /** Prometheus' checker of rules and pages, from the archive with the whole of Prometheus. */
  promtool: {
    release: 'v3.11.3',
    goPackage: 'github.com/prometheus/prometheus/cmd/promtool',
    // Without the service discoveries, which are most of its code.
    goModule: { path: 'github.com/prometheus/prometheus', version: 'v0.311.3', tags: 'remove_all_sd' },
    proof: ['--version'],
    archives: {
      'linux-x64': {
        url: `${prometheus}.linux-amd64.tar.gz`,
        sha256: '9479af67673316278958cda1f39b88a09f8921084e039c65acca060d0447bb38',
      },
      'linux-arm64': {
        url: `${prometheus}.linux-arm64.tar.gz`,
        sha256: 'd2ec0a96259afde955ad1560ced303cef99cac4dac676bd4dd7614d76adb708a',
      },
      'darwin-x64': {
        url: `${prometheus}.darwin-amd64.tar.gz`,
        sha256: 'ebd86b50e816e3752edff25202593fc31e08771f14c5f6d4a24737f0304385be',
      },
      'darwin-arm64': {
        url: `${prometheus}.darwin-arm64.tar.gz`,
        sha256: '742773c5b3958eec5e6b58802f25cf77b47a319219ce0d508ed2f657c61d8859',
      },
    },
  },
} as const satisfies Record<string, Program & { archives: Archives }>;

export type ToolName = keyof typeof tools;

const DEFINITIONS = 'kubernetes-json-schema/v1.36.0-local-strict/_definitions.json';

/**
 * JSON schemas of every type of Kubernetes in one file, under the Apache License 2.0: from its
 * author's repository, or from the Python package, where the file is the same.
 */
export const kubernetesSchemas: {
  release: string;
  file: Archive;
  wheel: { requirement: string; sha256: string; path: string };
} = {
  release: 'v1.36.0',
  file: {
    url: `${schemas}/${DEFINITIONS}`,
    sha256: '7fcd6695a1492823e908a80018ead8c852e9fe8ceae064f5a945f8b28471fae9',
  },
  wheel: {
    requirement: 'kubernetes-validate==1.36.0',
    sha256: 'fcafa2b657949a7cc7232dfb201c4d37e61b15e2f8b4936350b150be01ac5de5',
    path: `kubernetes_validate/${DEFINITIONS}`,
  },
};

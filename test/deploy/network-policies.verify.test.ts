import { BlockList, isIPv4 } from 'node:net';
import { join } from 'node:path';
import fc from 'fast-check';
import { type Static, Type } from 'typebox';
import { beforeAll, describe, expect, test } from 'vitest';
import { isPublicAddress } from '../../lib/egress/address.ts';
import { folderOfFile } from '../setup/temporary-folder.ts';
import { build, KUBERNETES, specsOf } from './manifests.ts';

const Block = Type.Object({ cidr: Type.String(), except: Type.Array(Type.String()) });
const Peer = Type.Object({ ipBlock: Type.Optional(Block), namespaceSelector: Type.Optional(Type.Unknown()) });
const Policy = Type.Object({
  podSelector: Type.Unknown(),
  policyTypes: Type.Array(Type.String()),
  egress: Type.Optional(Type.Array(Type.Object({ to: Type.Array(Peer) }))),
  ingress: Type.Optional(Type.Array(Type.Object({ from: Type.Array(Peer) }))),
});

const folder = folderOfFile();
let policies: Map<string, Static<typeof Policy>>;

beforeAll(async () => {
  const manifests = await build(join(KUBERNETES, 'base'), join(folder, 'base.yaml'));
  policies = new Map(
    specsOf(manifests, 'NetworkPolicy', Policy).map(({ metadata, spec }) => [metadata.name, spec]),
  );
}, 600_000);

const everyPod = { matchLabels: { 'app.kubernetes.io/name': 'image-job-api' } };

test('nothing is allowed to pods that no policy names', () => {
  expect(policies.get('deny-all')).toEqual({
    podSelector: everyPod,
    policyTypes: ['Ingress', 'Egress'],
  });
});

test('only processes that fetch, deliver or render reach the internet', () => {
  const reaching = [...policies].filter(([, { egress = [] }]) =>
    egress.some(({ to }) => to.some(({ ipBlock }) => ipBlock !== undefined)),
  );
  expect(reaching.map(([name]) => name)).toEqual(['internet']);
  const values = ['api', 'worker-webhooks', 'renderer'];
  const matchExpressions = [{ key: 'app.kubernetes.io/component', operator: 'In', values }];
  expect(policies.get('internet')?.podSelector).toEqual({ ...everyPod, matchExpressions });
});

describe('the addresses of the internet', () => {
  /** Whether the policy lets a pod connect to the address. */
  function isAllowed(address: string): boolean {
    const blocks = policies.get('internet')?.egress?.flatMap(({ to }) => to) ?? [];
    return blocks.some(
      ({ ipBlock }) => ipBlock && isWithin(address, [ipBlock.cidr]) && !isWithin(address, ipBlock.except),
    );
  }

  function isWithin(address: string, blocks: string[]): boolean {
    const list = new BlockList();
    for (const block of blocks) {
      const [network = '', prefix] = block.split('/');
      list.addSubnet(network, Number(prefix), isIPv4(network) ? 'ipv4' : 'ipv6');
    }
    return list.check(address, isIPv4(address) ? 'ipv4' : 'ipv6');
  }

  test.each([
    '169.254.169.254',
    '168.63.129.16',
    '10.0.0.1',
    '172.31.255.255',
    '192.168.0.1',
    '100.64.0.1',
    '127.0.0.1',
    '::1',
    'fe80::1',
    'fd00:ec2::254',
    '2002:a9fe:a9fe::1',
  ])('do not include %s', (address) => {
    expect(isAllowed(address)).toBe(false);
  });

  test('are those that the service itself connects to', () => {
    const edges = [
      '9.255.255.255',
      '11.0.0.0',
      '169.253.255.255',
      '172.32.0.0',
      '2001:200::',
      '2606:4700::1',
    ];
    for (const address of edges) expect(isAllowed(address), address).toBe(true);
    const addresses = fc.oneof(
      fc.ipV4(),
      fc.ipV6().filter((text) => !text.includes('.')),
    );
    fc.assert(fc.property(addresses, (address) => isAllowed(address) === isPublicAddress(address)));
  });
});

import { KEEP_ROOM } from '../keep.ts';
import { choice, fixtureFinish, tone } from '../options.ts';
import type { ToolGroup } from '../tool-spec.ts';
import { BATH_TOOLS } from './bath.ts';

export const KITCHEN_BATH: ToolGroup = {
  id: 'kitchen-bath',
  title: 'Kitchen and bath',
  description: 'Replace cabinets, surfaces, fixtures and tile.',
  tools: [
    {
      slug: 'cabinet-replacement',
      title: 'Cabinet replacement',
      description: 'Gives the kitchen new cabinet fronts.',
      customPrompt: 'read',
      preset:
        'Replace the kitchen cabinets with white shaker cabinets with slim brushed-nickel pulls, a timeless choice that shows well in a listing.',
      options: {
        cabinetStyle: choice(
          'Style of the fronts.',
          ['modern-flat', 'shaker', 'traditional-raised', 'glass-front', 'open-shelving'],
          'shaker',
          {
            wording: {
              'modern-flat': 'modern flat-panel cabinets',
              shaker: 'shaker cabinets',
              'traditional-raised': 'traditional raised-panel cabinets',
              'glass-front': 'glass-front cabinets',
              'open-shelving': 'open shelving above and plain base cabinets',
            },
          },
        ),
        cabinetColor: choice(
          'Color of the cabinets.',
          ['white', 'cream', 'natural-wood', 'dark-wood', 'gray', 'navy', 'sage-green', 'matte-black'],
          'white',
        ),
      },
      task: [
        'Replace the kitchen cabinets in this photo with {cabinetStyle}. Their color: {cabinetColor}.',
        'Cabinet runs, heights and appliance openings keep their place; countertops, backsplash and appliances stay.',
      ],
      keep: KEEP_ROOM,
    },
    {
      slug: 'countertop-replacement',
      title: 'Countertop replacement',
      description: 'Replaces the countertop material.',
      customPrompt: 'read',
      preset: 'Replace the countertops with white quartz with soft gray veining and an eased edge.',
      options: {
        countertopMaterial: choice(
          'Material of the countertop.',
          [
            'granite',
            'quartz',
            'marble',
            'butcher-block',
            'concrete',
            'laminate',
            'soapstone',
            'stainless-steel',
          ],
          'quartz',
        ),
        countertopTone: tone('Variety or shade; each material has a common default variety.'),
      },
      task: [
        'Replace every countertop in this photo, islands included. The new material: {countertopMaterial}.',
        'Its variety or shade: {countertopTone}.',
        {
          when: { countertopTone: 'missing' },
          text: 'Use the variety of that material most often chosen for kitchens.',
        },
        'Sink, faucet, hob and everything standing on the counter keep their place; seams and edges are realistic.',
      ],
      keep: KEEP_ROOM,
    },
    {
      slug: 'backsplash-update',
      title: 'Backsplash update',
      description: 'Replaces the wall covering between counter and cabinets.',
      customPrompt: 'read',
      preset: 'Replace the backsplash with glossy white subway tile in running bond with light gray grout.',
      options: {
        backsplashMaterial: choice(
          'Material of the backsplash.',
          [
            'subway-tile',
            'mosaic',
            'marble-slab',
            'glass',
            'ceramic',
            'patterned-tile',
            'natural-stone',
            'brick',
          ],
          'subway-tile',
        ),
        backsplashTone: tone('Color in words.'),
      },
      task: [
        'Replace the backsplash in this photo. The new material: {backsplashMaterial}.',
        'Its color: {backsplashTone}.',
        'Cover only the wall between countertop and wall cabinets; outlets, hood and accessories stay, and joints follow the perspective.',
      ],
      keep: KEEP_ROOM,
    },
    {
      slug: 'kitchen-fixtures',
      title: 'Kitchen fixtures',
      description: 'Replaces one kitchen fixture.',
      customPrompt: 'read',
      preset:
        'Replace the kitchen faucet with a single-handle pull-down faucet with a high arc in brushed nickel.',
      options: {
        kitchenFixtureType: choice(
          'Fixture to replace.',
          ['kitchen-faucet', 'kitchen-sink', 'range-hood', 'garbage-disposal-unit'],
          'kitchen-faucet',
        ),
        kitchenSinkStyle: choice(
          'Style of the sink.',
          ['undermount', 'farmhouse-apron', 'drop-in', 'workstation', 'double-bowl'],
          'undermount',
          { appliesWhen: { kitchenFixtureType: ['kitchen-sink'] } },
        ),
        fixtureFinish,
      },
      task: [
        'Replace one fixture in this kitchen: {kitchenFixtureType}.',
        'The style of the new sink: {kitchenSinkStyle}.',
        'Its finish: {fixtureFinish}.',
        'The new one sits exactly where the old one was, at real-world size and ready for use.',
      ],
      keep: KEEP_ROOM,
    },
    ...BATH_TOOLS,
  ],
};

import { keepKitchen } from '../keep/interior.ts';
import { choice, fixtureFinish, tone, worded } from '../options.ts';
import type { ToolGroup } from '../tool-spec.ts';
import { WOOD_WORDING } from '../wording.ts';
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
      aim: 'Replace the kitchen cabinets in this photo',
      preset:
        'Replace the kitchen cabinets in this photo with white shaker cabinets with slim brushed-nickel pulls.',
      options: {
        cabinetStyle: worded(
          'Style of the fronts.',
          {
            'modern-flat': 'modern flat-panel cabinets',
            shaker: 'shaker cabinets with flat recessed panels',
            'traditional-raised': 'traditional raised-panel cabinets',
            'glass-front': 'glass-front wall cabinets and plain base cabinets',
            'open-shelving': 'open shelving above and plain base cabinets below',
          },
          'shaker',
        ),
        cabinetColor: choice(
          'Color of the cabinets.',
          ['white', 'cream', 'natural-wood', 'dark-wood', 'gray', 'navy', 'sage-green', 'matte-black'],
          'white',
          { wording: WOOD_WORDING },
        ),
      },
      task: [
        'Replace the kitchen cabinets in this photo with {cabinetStyle}.',
        'Their surface: {cabinetColor}.',
      ],
      craft: [
        'Cabinet runs, heights and appliance openings keep their place; doors and drawers divide them as a cabinetmaker would, with even gaps and fitting hardware.',
      ],
      keep: keepKitchen('cabinets'),
    },
    {
      slug: 'countertop-replacement',
      title: 'Countertop replacement',
      description: 'Replaces the countertop material.',
      customPrompt: 'read',
      aim: 'Replace the countertops in this photo',
      preset:
        'Replace every countertop in this photo, islands included, with white quartz with soft gray veining and an eased edge.',
      options: {
        countertopMaterial: worded(
          'Material of the countertop.',
          {
            granite: 'polished granite',
            quartz: 'engineered quartz',
            marble: 'honed marble',
            'butcher-block': 'oiled butcher block',
            concrete: 'sealed concrete',
            laminate: 'laminate',
            soapstone: 'honed soapstone',
            'stainless-steel': 'brushed stainless steel',
          },
          'quartz',
        ),
        countertopTone: tone('Variety or shade; each material has a common default variety.'),
      },
      task: [
        'Replace every countertop in this photo, islands included, with {countertopMaterial}.',
        {
          when: { countertopTone: 'given' },
          text: "Its variety or shade is the countertop tone in the client's words below.",
        },
        {
          when: { countertopTone: 'missing' },
          text: 'Use the variety of that material most often chosen for kitchens.',
        },
      ],
      craft: [
        'Counter height, depth and cutouts stay; thickness, edges and seams are realistic, and veins or grain run on across the surface at natural scale.',
        'Cooktop and everything standing on the counters keep their place.',
      ],
      keep: keepKitchen('countertops'),
    },
    {
      slug: 'backsplash-update',
      title: 'Backsplash update',
      description: 'Replaces the wall covering between counter and cabinets.',
      customPrompt: 'read',
      aim: 'Replace the backsplash in this photo',
      preset:
        'Replace the backsplash in this photo with glossy white subway tile in running bond with light gray grout.',
      options: {
        backsplashMaterial: worded(
          'Material of the backsplash.',
          {
            'subway-tile': 'subway tile in running bond',
            mosaic: 'small mosaic tile',
            'marble-slab': 'one continuous marble slab',
            glass: 'a seamless back-painted glass panel',
            ceramic: 'square ceramic tile',
            'patterned-tile': 'patterned encaustic-style tile',
            'natural-stone': 'split-face natural stone',
            brick: 'thin brick in running bond',
          },
          'subway-tile',
        ),
        backsplashTone: tone('Color in words.'),
      },
      task: [
        'Replace the backsplash in this photo with {backsplashMaterial}.',
        {
          when: { backsplashTone: 'given' },
          text: "Its color is the backsplash tone in the client's words below.",
        },
      ],
      craft: [
        'Cover only the wall between countertop and wall cabinets, behind everything that stands or hangs there; outlets stay, cuts are clean, and joints follow the perspective.',
      ],
      keep: keepKitchen('backsplash'),
    },
    {
      slug: 'kitchen-fixtures',
      title: 'Kitchen fixtures',
      description: 'Replaces one kitchen fixture.',
      customPrompt: 'read',
      aim: 'Replace one fixture in this kitchen',
      preset:
        'Replace the kitchen faucet in this photo with a single-handle pull-down faucet with a high arc in brushed nickel.',
      options: {
        kitchenFixtureType: worded(
          'Fixture to replace.',
          {
            'kitchen-faucet': 'the kitchen faucet',
            'kitchen-sink': 'the kitchen sink',
            'range-hood': 'the range hood',
            'garbage-disposal-unit':
              'the garbage disposal unit, as far as its sink flange and air switch are in view',
          },
          'kitchen-faucet',
        ),
        kitchenSinkStyle: worded(
          'Style of the sink.',
          {
            undermount: 'an undermount sink',
            'farmhouse-apron': 'a farmhouse sink with an apron front',
            'drop-in': 'a drop-in sink with a visible rim',
            workstation: 'a workstation sink with a ledge for accessories',
            'double-bowl': 'a double-bowl sink',
          },
          'undermount',
          { appliesWhen: { kitchenFixtureType: ['kitchen-sink'] } },
        ),
        fixtureFinish,
      },
      task: [
        'Replace one fixture in this kitchen: {kitchenFixtureType}.',
        'The new one is {kitchenSinkStyle}.',
        'Its finish: {fixtureFinish}.',
      ],
      craft: [
        'It sits exactly where the old one was, at real-world size, connected and ready for use; the other fixtures of the kitchen stay.',
      ],
      keep: keepKitchen('sink', 'faucet', 'hood'),
    },
    ...BATH_TOOLS,
  ],
};

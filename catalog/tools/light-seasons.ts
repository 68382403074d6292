import { KEEP_OBJECTS } from '../keep.ts';
import { choice, flag, intensity } from '../options.ts';
import type { ToolGroup } from '../tool-spec.ts';
import { SEASON } from '../values.ts';

/** Regional styles of each holiday; the first one is the default. */
const REGIONS = {
  christmas: ['american', 'british', 'german', 'scandinavian', 'australian'],
  halloween: ['american', 'mexican', 'irish'],
  easter: ['western', 'orthodox'],
  thanksgiving: ['american', 'canadian'],
  'lunar-new-year': ['chinese', 'korean', 'vietnamese'],
  diwali: [],
  hanukkah: [],
  'new-year': [],
} as const;

export const LIGHT_SEASONS: ToolGroup = {
  id: 'light-seasons',
  title: 'Light and seasons',
  description: 'Move a photo to another time of day, season or holiday.',
  tools: [
    {
      slug: 'day-to-dusk',
      label: 'dusk-interior',
      title: 'Day to dusk, interior',
      description: 'Turns a daytime interior into dusk.',
      customPrompt: 'read',
      options: {
        hasWindows: flag('Whether windows are in view.', 'true'),
        interiorLights: flag('Whether the lamps in view are switched on.', 'true'),
      },
      task: [
        'Turn this daytime interior photo into early evening.',
        {
          when: { hasWindows: ['true'] },
          text: 'Through the windows the sky is deep dusk blue with a trace of warm glow at the horizon.',
        },
        {
          when: { hasWindows: ['false'] },
          text: 'No window is in view: change the room light only and add no window.',
        },
        {
          when: { interiorLights: ['true'] },
          text: 'Lamps in view are on and light the room warmly and plausibly.',
        },
        { when: { interiorLights: ['false'] }, text: 'Lamps stay off.' },
      ],
      keep: KEEP_OBJECTS,
    },
    {
      slug: 'day-to-dusk-exterior',
      label: 'dusk-exterior',
      title: 'Day to dusk, exterior',
      description: 'Turns a daytime exterior into dusk.',
      customPrompt: 'read',
      options: {
        timeShift: choice(
          'Time of day in the result.',
          ['golden-hour', 'dusk', 'blue-hour', 'night'],
          'dusk',
          {
            wording: {
              'golden-hour': 'golden hour with low warm sun',
              dusk: 'dusk shortly after sunset',
              'blue-hour': 'blue hour with an even deep blue sky',
              night: 'clear night',
            },
          },
        ),
        season: choice('Season to show; as photographed when omitted.', SEASON),
        windowGlow: flag('Whether windows and outdoor lamps glow.', 'true'),
      },
      task: [
        'Turn this daytime exterior photo into another time of day: {timeShift}.',
        'The season: {season}.',
        {
          when: { windowGlow: ['true'] },
          text: 'Windows glow warmly from inside and outdoor lamps in view are on.',
        },
        'Sky, ambient light, shadows and reflections agree with each other.',
      ],
      keep: KEEP_OBJECTS,
    },
    {
      slug: 'seasonal-changes',
      title: 'Seasonal changes',
      description: 'Moves an exterior to another season.',
      customPrompt: 'not read',
      options: { season: choice('Season to show.', SEASON, 'summer'), intensity },
      task: [
        'Show this exterior in another season: {season}. Trees, lawn, planting, ground and light follow the season.',
        'Strength of the effect: {intensity}.',
        'Buildings, paving and cars stay the same.',
      ],
      keep: KEEP_OBJECTS,
    },
    {
      slug: 'festive-flip',
      title: 'Festive flip',
      description: 'Decorates a house or room for a holiday.',
      customPrompt: 'not read',
      options: {
        holiday: choice('Holiday to decorate for.', Object.keys(REGIONS), 'christmas', {
          wording: { christmas: 'Christmas', halloween: 'Halloween', easter: 'Easter' },
        }),
        holidayRegion: choice(
          'Regional style of the holiday; one that the holiday lacks is ignored.',
          [...new Set(Object.values(REGIONS).flat())],
          undefined,
          { valuesBy: { option: 'holiday', lists: REGIONS } },
        ),
        intensity,
      },
      task: [
        'Decorate this place for a holiday: {holiday}.',
        'Regional style of the decoration: {holidayRegion}.',
        'Strength of the effect: {intensity}.',
        'Add decoration only, fixed where people really fix it; building, furniture and planting stay.',
      ],
      keep: KEEP_OBJECTS,
    },
  ],
};

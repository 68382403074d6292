import { KEEP_OBJECTS, KEEP_OBJECTS_INSIDE, KEEP_OBJECTS_OUTSIDE } from '../keep/photo.ts';
import { choice, flag, intensity, worded } from '../options.ts';
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

const REGION_WORDING = {
  american: 'American',
  british: 'British',
  german: 'German',
  scandinavian: 'Scandinavian',
  australian: 'Australian',
  mexican: 'Mexican Day of the Dead',
  irish: 'Irish',
  western: 'Western',
  orthodox: 'Orthodox',
  canadian: 'Canadian',
  chinese: 'Chinese',
  korean: 'Korean',
  vietnamese: 'Vietnamese',
} as const;

const SEASON_WORDING = {
  spring: 'spring, with fresh light green leaves, blossoms and new grass',
  summer: 'high summer, with full green foliage and a lush lawn',
  fall: 'fall, with yellow, orange and red foliage and some fallen leaves',
  winter: 'winter, with bare deciduous trees and a light, even cover of snow',
} as const;

export const LIGHT_SEASONS: ToolGroup = {
  id: 'light-seasons',
  title: 'Light and seasons',
  description: 'Move a photo to another time of day, season or holiday.',
  tools: [
    {
      slug: 'day-to-dusk',
      classical: true,
      label: 'dusk-interior',
      title: 'Day to dusk, interior',
      description: 'Turns a daytime interior into dusk.',
      customPrompt: 'read',
      aim: 'Turn this daytime interior photo into evening',
      options: {
        hasWindows: flag('Whether windows are in view.', 'true'),
        interiorLights: flag('Whether the lamps in view are switched on.', 'true'),
      },
      task: [
        'Turn this daytime interior photo into early evening, shortly after sunset.',
        {
          when: { hasWindows: ['true'] },
          text: 'Through the windows, the same view lies in dusk: a deep blue sky with a trace of warm glow at the horizon.',
        },
        {
          when: { hasWindows: ['false'] },
          text: 'No window is in view, and none is added: only the light in the room changes.',
        },
        {
          when: { interiorLights: ['true'] },
          text: 'The lamps in view are on and light the room warmly and plausibly.',
        },
        {
          when: { interiorLights: ['false'] },
          text: 'Lamps stay as they are; the room lies in soft dusk light.',
        },
      ],
      craft: [
        'Daylight and its sun patches are gone; ambient light, shadows and reflections agree with the new light, and the room stays bright enough to read every detail.',
      ],
      keep: KEEP_OBJECTS_INSIDE,
    },
    {
      slug: 'day-to-dusk-exterior',
      classical: true,
      label: 'dusk-exterior',
      title: 'Day to dusk, exterior',
      description: 'Turns a daytime exterior into dusk.',
      customPrompt: 'read',
      aim: 'Turn this daytime exterior photo into another time of day',
      options: {
        timeShift: worded(
          'Time of day in the result.',
          {
            'golden-hour': 'golden hour, with low warm sun and long soft shadows',
            dusk: 'dusk shortly after sunset, with a warm glow at the horizon below a deep blue sky',
            'blue-hour': 'blue hour, with an even deep blue sky and no sun',
            night: 'a clear night with a dark sky',
          },
          'dusk',
        ),
        season: choice('Season to show; as photographed when omitted.', SEASON, undefined, {
          wording: SEASON_WORDING,
        }),
        windowGlow: flag('Whether windows and outdoor lamps glow.', 'true'),
      },
      task: [
        'Turn this daytime exterior photo into {timeShift}.',
        'The season becomes {season}.',
        {
          when: { windowGlow: ['true'] },
          text: 'Windows glow warmly from inside, and the outdoor lamps in view are on.',
        },
        { when: { windowGlow: ['false'] }, text: 'Windows stay dark, and outdoor lamps stay off.' },
      ],
      craft: [
        'Sky, ambient light, shadows and reflections agree with each other, and the building stays bright enough to read every detail.',
      ],
      keep: KEEP_OBJECTS_OUTSIDE,
    },
    {
      slug: 'seasonal-changes',
      classical: true,
      title: 'Seasonal changes',
      description: 'Moves an exterior to another season.',
      customPrompt: 'not read',
      options: {
        season: choice('Season to show.', SEASON, 'summer', { wording: SEASON_WORDING }),
        intensity,
      },
      task: ['Show this exterior in {season}.', 'Strength of the effect: {intensity}.'],
      craft: [
        'Only foliage, lawn, planting, ground cover and light follow the season: each tree and shrub stays where it is, with its trunk and shape, and buildings, paving and vehicles keep their colors.',
      ],
      keep: KEEP_OBJECTS_OUTSIDE,
    },
    {
      slug: 'festive-flip',
      title: 'Festive flip',
      description: 'Decorates a house or room for a holiday.',
      customPrompt: 'not read',
      options: {
        holiday: worded(
          'Holiday to decorate for.',
          {
            christmas: 'Christmas',
            halloween: 'Halloween',
            easter: 'Easter',
            thanksgiving: 'Thanksgiving',
            'lunar-new-year': 'Lunar New Year',
            diwali: 'Diwali',
            hanukkah: 'Hanukkah',
            'new-year': "New Year's Eve",
          } satisfies Record<keyof typeof REGIONS, string>,
          'christmas',
        ),
        holidayRegion: choice(
          'Regional style of the holiday; one that the holiday lacks is ignored.',
          [...new Set(Object.values(REGIONS).flat())],
          undefined,
          { valuesBy: { option: 'holiday', lists: REGIONS }, wording: REGION_WORDING },
        ),
        intensity,
      },
      task: [
        'Decorate this place for {holiday}.',
        'The decoration follows {holidayRegion} tradition.',
        'Strength of the effect: {intensity}.',
      ],
      craft: [
        'Add decoration only, in good taste, fixed where people really fix it, at real-world size and with fitting light and shadows; time of day, season and everything that is already there stay.',
      ],
      keep: KEEP_OBJECTS,
    },
  ],
};

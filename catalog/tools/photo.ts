import { KEEP_SCENE, KEEP_SUBJECT } from '../keep.ts';
import { choice, flag, hex, intensity, tone } from '../options.ts';
import type { ToolGroup } from '../tool-spec.ts';
import { PHOTO_CORRECTIONS } from './photo-corrections.ts';

export const PHOTO: ToolGroup = {
  id: 'photo',
  title: 'Photo editing',
  description: 'Correct, enlarge and retouch photos.',
  tools: [
    ...PHOTO_CORRECTIONS,
    {
      slug: 'sky-replacement',
      title: 'Sky replacement',
      description: 'Replaces the sky.',
      customPrompt: 'not read',
      options: {
        skyType: choice(
          'New sky.',
          [
            'clear-blue',
            'blue-with-clouds',
            'soft-overcast',
            'golden-hour',
            'sunset',
            'twilight',
            'dramatic-clouds',
          ],
          'blue-with-clouds',
        ),
        matchLight: flag('Whether the scene is toned to match the new sky.', 'true'),
      },
      task: [
        'Replace the sky in this photo, gaps between branches and reflections in glass and water included. The new sky: {skyType}.',
        { when: { matchLight: ['true'] }, text: 'Tone the scene gently to match the light of the new sky.' },
        { when: { matchLight: ['false'] }, text: 'The light on the scene stays as it is.' },
      ],
      keep: KEEP_SUBJECT,
    },
    {
      slug: 'window-view-replacement',
      title: 'Window view replacement',
      description: 'Replaces the view through the windows.',
      customPrompt: 'not read',
      options: {
        windowView: choice(
          'View through the windows.',
          ['garden', 'trees', 'city-skyline', 'ocean', 'mountains', 'lake', 'clear-sky'],
          'garden',
        ),
        timeOfDay: choice('Light outside.', ['day', 'golden-hour', 'dusk', 'night'], 'day'),
      },
      task: [
        'Replace only what is seen through the windows in this photo. The new view: {windowView}, at this time of day: {timeOfDay}.',
        'Frames, glass, curtains and reflections stay; height, perspective and brightness of the view suit the room.',
      ],
      keep: KEEP_SUBJECT,
    },
    {
      slug: 'background-replacement',
      title: 'Background replacement',
      description: 'Replaces the background behind the main subject.',
      customPrompt: 'not read',
      options: {
        backgroundType: choice(
          'New background.',
          ['white-studio', 'gray-gradient', 'solid-color', 'blurred-interior', 'office', 'garden', 'city'],
          'white-studio',
        ),
        backgroundColor: hex('Color of a solid background.', '#FFFFFF', {
          appliesWhen: { backgroundType: ['solid-color'] },
        }),
      },
      task: [
        'Cut out the main subject of this photo, fine hair and edges included, and replace what is behind it. The new background: {backgroundType}.',
        'The color of the background is {backgroundColor}.',
        'The subject keeps its pose, size and place and gets a natural contact shadow.',
      ],
      keep: KEEP_SUBJECT,
    },
    {
      slug: 'aerial-photo-editing',
      title: 'Aerial photo editing',
      description: 'Improves drone photos.',
      customPrompt: 'not read',
      options: {
        aerialEdit: choice(
          'What is improved.',
          ['full', 'haze-removal', 'color-boost', 'greener-surroundings'],
          'full',
          {
            wording: {
              full: 'haze, contrast, color and greenery together',
              'haze-removal': 'haze and distant contrast',
              'color-boost': 'color and contrast',
              'greener-surroundings': 'dry or patchy vegetation',
            },
          },
        ),
        intensity,
      },
      task: [
        'Improve this aerial photo of a property. What to improve: {aerialEdit}.',
        'Strength of the effect: {intensity}.',
        'Buildings, boundaries, roads and water keep their place and shape.',
      ],
      keep: KEEP_SCENE,
    },
    {
      slug: 'portrait-retouching',
      title: 'Portrait retouching',
      description: 'Retouches a portrait, for example of an agent.',
      customPrompt: 'not read',
      options: {
        retouchLevel: choice('Strength of the retouching.', ['natural', 'polished', 'studio'], 'natural'),
        evenLight: flag('Whether the light on the face is evened out.', 'true'),
      },
      task: [
        'Retouch this portrait. Level: {retouchLevel}. Remove temporary blemishes, stray hairs and glare; keep skin texture, age, features and expression.',
        { when: { evenLight: ['true'] }, text: 'Even out the light on the face softly.' },
        'The person must stay fully recognizable.',
      ],
      keep: KEEP_SCENE,
    },
    {
      slug: 'property-highlight',
      title: 'Property highlight',
      description: 'Marks the property in an aerial or street photo.',
      customPrompt: 'not read',
      options: {
        highlightStyle: choice('Kind of mark.', ['outline', 'glow', 'spotlight', 'pin'], 'outline', {
          wording: {
            outline: 'a clean line along the boundary of the plot',
            glow: 'a soft glow along the boundary of the plot',
            spotlight: 'the surroundings slightly darkened and desaturated around it',
            pin: 'one plain location pin above it',
          },
        }),
        highlightColor: hex('Color of the mark.', '#FFD400'),
        propertyHint: tone('Which property it is, in words.'),
      },
      task: [
        'Highlight one property in this photo. The mark: {highlightStyle}. Its color: {highlightColor}.',
        'The property: "{propertyHint}".',
        {
          when: { propertyHint: 'missing' },
          text: 'The property is the one at the center of attention of the photo.',
        },
      ],
      keep: KEEP_SUBJECT,
    },
  ],
};

import { KEEP_FOREGROUND, KEEP_OBJECTS_OUTSIDE, KEEP_SCENE } from '../keep/photo.ts';
import { flag, hex, intensity, tone, worded } from '../options.ts';
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
      classical: true,
      title: 'Sky replacement',
      description: 'Replaces the sky.',
      customPrompt: 'not read',
      options: {
        skyType: worded(
          'New sky.',
          {
            'clear-blue': 'a clear blue sky, paler toward the horizon',
            'blue-with-clouds': 'a blue sky with a few soft white clouds',
            'soft-overcast': 'a bright, softly overcast sky',
            'golden-hour': 'a golden-hour sky with low warm light',
            sunset: 'a sunset sky in orange and pink',
            twilight: 'a deep blue twilight sky with a last glow at the horizon',
            'dramatic-clouds': 'a dramatic sky with high-contrast clouds',
          },
          'blue-with-clouds',
        ),
        matchLight: flag('Whether the scene is toned to match the new sky.', 'true'),
      },
      task: [
        'Replace the sky in this photo with {skyType}.',
        {
          when: { matchLight: ['true'] },
          text: 'Tone the scene gently in brightness and warmth to match the light of the new sky; this is the only change outside of it.',
        },
        { when: { matchLight: ['false'] }, text: 'The light on the scene stays as it is.' },
      ],
      craft: [
        'The new sky fills the gaps between branches, wires and railings too and is mirrored in glass and water; roof lines, chimneys, antennas and leaves keep their outline, without halos.',
        'Its light comes from the direction of the shadows in the photo.',
      ],
      keep: KEEP_OBJECTS_OUTSIDE,
    },
    {
      slug: 'window-view-replacement',
      title: 'Window view replacement',
      description: 'Replaces the view through the windows.',
      customPrompt: 'not read',
      options: {
        windowView: worded(
          'View through the windows.',
          {
            garden: 'a well-kept garden',
            trees: 'leafy trees',
            'city-skyline': 'a city skyline',
            ocean: 'the open ocean',
            mountains: 'mountains',
            lake: 'a lake with wooded shores',
            'clear-sky': 'a clear blue sky',
          },
          'garden',
        ),
        timeOfDay: worded(
          'Light outside.',
          { day: 'by day', 'golden-hour': 'at golden hour', dusk: 'at dusk', night: 'at night' },
          'day',
        ),
      },
      task: ['Replace what is seen through the windows in this photo with {windowView}, {timeOfDay}.'],
      craft: [
        'Window frames, bars, glass, reflections, curtains and blinds stay; the new view lies behind them, at a plausible height and perspective, continuous from window to window, a little brighter than the room by day and slightly soft.',
        'The light in the room stays as it is.',
      ],
      keep: KEEP_FOREGROUND,
    },
    {
      slug: 'background-replacement',
      title: 'Background replacement',
      description: 'Replaces the background behind the main subject.',
      customPrompt: 'not read',
      options: {
        backgroundType: worded(
          'New background.',
          {
            'white-studio': 'a seamless white studio background',
            'gray-gradient': 'a seamless gray studio gradient',
            'solid-color': 'one solid color',
            'blurred-interior': 'a bright, softly blurred interior',
            office: 'a softly blurred modern office',
            garden: 'a softly blurred garden',
            city: 'a softly blurred city street',
          },
          'white-studio',
        ),
        backgroundColor: hex('Color of a solid background.', '#FFFFFF', {
          appliesWhen: { backgroundType: ['solid-color'] },
        }),
      },
      task: [
        'Replace the background behind the main subject of this photo with {backgroundType}.',
        'The color of the background is {backgroundColor}.',
      ],
      craft: [
        'Cut the subject out precisely, fine hair and edges included, without a fringe of the old background.',
        'The subject keeps its identity, pose, size, place and colors; where it stands on a surface it gets a natural contact shadow.',
      ],
      keep: KEEP_FOREGROUND,
    },
    {
      slug: 'aerial-photo-editing',
      classical: true,
      mayKeepImage: true,
      title: 'Aerial photo editing',
      description: 'Improves drone photos.',
      customPrompt: 'not read',
      options: {
        aerialEdit: worded(
          'What is improved.',
          {
            full: 'remove haze, lift contrast and color, and freshen the green of the vegetation',
            'haze-removal': 'remove haze and restore contrast in the distance',
            'color-boost': 'lift color and contrast',
            'greener-surroundings': 'turn dry or patchy vegetation a healthy natural green',
          },
          'full',
        ),
        intensity,
      },
      task: [
        'Improve this aerial photo of a property: {aerialEdit}.',
        'Strength of the effect: {intensity}.',
      ],
      craft: [
        'Buildings, plot boundaries, roads, water and each tree keep their exact place and shape; roofs and paving keep their colors.',
      ],
      keep: KEEP_SCENE,
    },
    {
      slug: 'portrait-retouching',
      mayKeepImage: true,
      title: 'Portrait retouching',
      description: 'Retouches a portrait, for example of an agent.',
      customPrompt: 'not read',
      options: {
        retouchLevel: worded(
          'Strength of the retouching.',
          {
            natural: 'natural, so that it looks unretouched',
            polished: 'polished, as for a business profile',
            studio: 'studio quality, as for a printed advertisement',
          },
          'natural',
        ),
        evenLight: flag('Whether the light on the face is evened out.', 'true'),
      },
      task: [
        'Retouch this portrait: remove temporary blemishes, stray hairs, lint and glare on skin or glasses.',
        'Level: {retouchLevel}.',
        { when: { evenLight: ['true'] }, text: 'Even out the light on the face softly.' },
        { when: { evenLight: ['false'] }, text: 'The light on the face stays as it is.' },
      ],
      craft: [
        'The person stays fully recognizable: face shape, features, skin tone and texture, age, moles and scars, hairstyle, expression, body, clothes and background stay as they are.',
      ],
      keep: KEEP_SCENE,
    },
    {
      slug: 'property-highlight',
      title: 'Property highlight',
      description: 'Marks the property in an aerial or street photo.',
      customPrompt: 'not read',
      options: {
        highlightStyle: worded(
          'Kind of mark.',
          {
            outline: 'a clean, even line along the boundary of the plot',
            glow: 'a soft glow along the boundary of the plot',
            spotlight:
              'a thin edge around the plot, with everything outside it slightly darker and less saturated',
            pin: 'one plain location pin, without lettering, above the house',
          },
          'outline',
        ),
        highlightColor: hex('Color of the mark.', '#FFD400'),
        propertyHint: tone('Which property it is, in words.'),
      },
      task: [
        'Highlight one property in this photo with {highlightStyle}.',
        'Color of the mark: {highlightColor}.',
        {
          when: { propertyHint: 'given' },
          text: "The property is the one under property hint in the client's words below.",
        },
        {
          when: { propertyHint: 'missing' },
          text: 'The property is the one at the center of attention of the photo.',
        },
      ],
      craft: [
        'The mark follows hedges, fences and edges of the ground in correct perspective and passes behind what stands in front of it; it is the only thing drawn on the photo.',
      ],
      keep: KEEP_OBJECTS_OUTSIDE,
    },
  ],
};

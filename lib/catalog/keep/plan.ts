const LAYOUT =
  'The plan is binding: every wall, opening, door swing, window, stair and room keeps its exact place, size, proportion and orientation. No room is invented, left out, merged or mirrored.';

const RESULT =
  'Return one image that holds the finished plan alone: no collage and no before-and-after. Add no people, logos, watermarks, signatures or borders.';

const WHOLE =
  'The whole plan is in view, with even margins, the right way up, at the exact aspect ratio of the input.';

const IN_PLACE =
  'The result shows the input edge to edge, at its exact crop, orientation and aspect ratio, so that both line up when laid over each other.';

const LETTERING_AS_ASKED =
  "Lettering appears only where the task asks for it, and then repeats the plan's own words and numbers character for character.";

/** The plan is drawn again or built as a model. */
export const KEEP_LAYOUT: readonly string[] = [LAYOUT, LETTERING_AS_ASKED, WHOLE, RESULT];

/** The plan is rendered from above, line on line. */
export const KEEP_LAYOUT_IN_PLACE: readonly string[] = [LAYOUT, LETTERING_AS_ASKED, IN_PLACE, RESULT];

/** The drawing itself stays and is colored. */
export const KEEP_DRAWING: readonly string[] = [
  LAYOUT,
  'All text, dimensions, numbers, symbols and lines stay exactly as drawn: same characters, same place, same size, equally sharp.',
  IN_PLACE,
  RESULT,
];

/** Lines that several kinds of photo share: framing, light and what is returned. */

export const FRAMING =
  'The camera stays where it is: same position, height, lens, angle and perspective. The result shows the input edge to edge, at its exact crop, orientation and aspect ratio, so that both line up when laid over each other.';

export const MATCHING_LIGHT =
  "New and uncovered parts take on the photo's own light: its direction, softness and color temperature, with fitting shadows, reflections, sharpness and grain.";

export const RESULT =
  'Return one photorealistic photo that fills the frame: the edited photo alone, no collage and no before-and-after. Add no people, text, logos, watermarks, signatures or borders.';

/**
 * The line that names what stays, in the order in which it is declared, without the parts that
 * change.
 */
export function unchanged<Part extends string>(
  parts: Readonly<Record<Part, string>>,
  changing: readonly NoInfer<Part>[],
): string {
  const changes = new Set<string>(changing);
  const stays = Object.entries<string>(parts).flatMap(([part, words]) => (changes.has(part) ? [] : [words]));
  return `Exactly as photographed, wherever it is in view: ${stays.join(', ')}, and everything else that the task does not name.`;
}

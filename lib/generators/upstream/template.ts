/** Values for the placeholders of a template, by name. */
export type TemplateValues = Readonly<Record<string, string | number>>;

const PLACEHOLDER = /\{\{(\w+)\}\}/g;

/**
 * Fills the placeholders `{{name}}` in the strings of a JSON document. A string that is nothing but
 * the placeholder of a number becomes that number. Unknown placeholders stay.
 */
export function fillTemplate(template: unknown, values: TemplateValues): unknown {
  if (typeof template === 'string') return fillText(template, values);
  if (Array.isArray(template)) return template.map((item) => fillTemplate(item, values));
  if (typeof template !== 'object' || template === null) return template;
  return Object.fromEntries(
    Object.entries(template).map(([key, value]) => [key, fillTemplate(value, values)]),
  );
}

function fillText(text: string, values: TemplateValues): string | number {
  const [whole, name = ''] = /^\{\{(\w+)\}\}$/.exec(text) ?? [];
  const value = whole !== undefined && Object.hasOwn(values, name) ? values[name] : undefined;
  if (value !== undefined) return value;
  return text.replace(PLACEHOLDER, (found, key: string) =>
    Object.hasOwn(values, key) ? String(values[key]) : found,
  );
}

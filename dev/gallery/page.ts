/** One photo rendered by one tool; `before` and `after` are file names. */
export interface Entry {
  tool: string;
  title: string;
  photo: string;
  before: string;
  after: string;
  ms: number;
}

/** The gallery as an HTML page that shows the images beside it. */
export function galleryPage(entries: readonly Entry[]): string {
  const tools = [...new Set(entries.map(({ tool }) => tool))];
  const sections = tools.map((tool) => section(entries.filter((entry) => entry.tool === tool)));
  return `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Gallery of the preview generator</title>
<style>
  body { font: 15px/1.4 system-ui, sans-serif; margin: 2rem; background: #f6f6f4; color: #222 }
  section { display: grid; grid-template-columns: repeat(auto-fill, minmax(34rem, 1fr)); gap: 1rem }
  figure { margin: 0; display: grid; grid-template-columns: 1fr 1fr; gap: 4px }
  figcaption { grid-column: 1 / 3; color: #666 }
  img { width: 100% }
</style>
<h1>Gallery of the preview generator</h1>
${sections.join('\n')}
</html>
`;
}

function section(entries: readonly Entry[]): string {
  const figures = entries.map(
    ({ photo, before, after, ms }) =>
      `<figure><img loading="lazy" src="${before}" alt="${photo}, before"><img loading="lazy" src="${after}" alt="${photo}, after"><figcaption>${photo}, ${ms} ms</figcaption></figure>`,
  );
  return `<h2 id="${entries[0]?.tool}">${entries[0]?.title}</h2>\n<section>\n${figures.join('\n')}\n</section>`;
}

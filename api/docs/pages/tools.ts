import { describeTools, type GeneratorOrders } from '../../../lib/catalog/catalog.ts';
import {
  describeCatalog,
  describeCommonOptions,
  type GroupDescription,
  type OptionDescription,
  type ToolDescription,
} from '../../../lib/catalog/describe.ts';
import { SAMPLE_SIZE, sampleFiles, TOOL_SAMPLES } from '../tool-samples.ts';
import { type Html, html, prose } from './html.ts';
import type { DocsPage } from './layout.ts';

/** Every tool of the catalogue with its price and options. @param base path of the docs as the browser sees it */
export function toolsPage(orders: GeneratorOrders, base: string): DocsPage {
  const previewOnly = new Set(
    describeTools(orders).flatMap(({ slug, preview_only }) => (preview_only ? [slug] : [])),
  );
  const groups = describeCatalog();
  const count = groups.reduce((sum, { tools }) => sum + tools.length, 0);
  return {
    path: 'tools',
    title: 'Tools',
    lead: `${count} tools in ${groups.length} groups. A job names one of them by its slug.`,
    content: html`
<nav class="index" aria-label="Tools by group">${groups.map(indexOf)}</nav>
<h2 id="common">Options of every tool except virtual-staging</h2>
${optionsTable(describeCommonOptions())}
<ul>
<li><strong>guided</strong> checks the options: an unknown value of a known option is rejected with <code>invalid_request</code>.</li>
<li><strong>custom</strong> follows <code>customPrompt</code> and does not check options. A tool that does not read <code>customPrompt</code> uses its options unchecked and returns a warning.</li>
<li><strong>auto</strong> does not check options. A tool with a preset uses it instead of its options; other tools use their options.</li>
</ul>
<p>An option that the tool does not have is ignored and named in <code>warnings</code>; <code>virtual-staging</code> rejects it instead.</p>
<p>The photos show what the built-in generator makes of them. Results of a model differ.</p>
${groups.map((group) => groupSection(group, previewOnly, base))}`,
  };
}

function indexOf({ id, title, tools }: GroupDescription): Html {
  const links = tools.map(({ slug }) => html`<li><a href="#${slug}">${slug}</a></li>`);
  return html`<section><h2><a href="#group-${id}">${title}</a></h2><ul>${links}</ul></section>`;
}

function groupSection(
  { id, title, description, tools }: GroupDescription,
  previewOnly: ReadonlySet<string>,
  base: string,
): Html {
  return html`
<h2 id="group-${id}">${title}</h2>
<p class="quiet">${description}</p>
${tools.map((tool) => toolSection(tool, previewOnly.has(tool.slug), base))}`;
}

function toolSection(tool: ToolDescription, isPreviewOnly: boolean, base: string): Html {
  return html`
<section class="entry" id="${tool.slug}" aria-labelledby="${tool.slug}-title">
<h3 id="${tool.slug}-title"><a class="anchor" href="#${tool.slug}"><code>${tool.slug}</code></a> <span class="tag good">${price(tool)}</span>${tags(tool).map((tag) => html` <span class="tag">${tag}</span>`)}</h3>
<p>${prose(tool.description)}</p>
${isPreviewOnly ? html`<p class="quiet">No model is configured for this tool: a job returns the photo with a caption.</p>` : []}
${beforeAndAfter(tool, base)}
${tool.options.length === 0 ? html`<p class="quiet">No options of its own.</p>` : optionsTable(tool.options)}
</section>`;
}

/** The sample of a tool that needs no model. */
function beforeAndAfter({ slug, title }: ToolDescription, base: string): Html | null {
  const sample = TOOL_SAMPLES[slug];
  if (sample === undefined) return null;
  const { before, after } = sampleFiles(slug, sample);
  const options = Object.entries(sample.options).map(([key, value]) => html`, <code>${key}: ${value}</code>`);
  return html`<div class="samples">${image(before, 'Before', `Before: ${title}`, base)}${image(after, html`After${options}`, `After: ${title}`, base)}</div>`;
}

function image(file: string, caption: Html | string, alt: string, base: string): Html {
  const { width, height } = SAMPLE_SIZE;
  return html`<figure><img src="${base}/assets/${file}" alt="${alt}" width="${width}" height="${height}" loading="lazy"><figcaption class="quiet">${caption}</figcaption></figure>`;
}

function price({ imagesAt2K, imagesAt4K }: ToolDescription): string {
  if (imagesAt4K === null) return `${imagesAt2K} image, 2K only`;
  if (imagesAt2K === imagesAt4K) return `${imagesAt2K} images`;
  return `${imagesAt2K} image at 2K, ${imagesAt4K} at 4K`;
}

function tags({ readsCustomPrompt, hasPreset }: ToolDescription): string[] {
  return [...(readsCustomPrompt ? ['reads customPrompt'] : []), ...(hasPreset ? ['auto uses a preset'] : [])];
}

function optionsTable(options: readonly OptionDescription[]): Html {
  return html`<div class="scroll"><table class="options">
<thead><tr><th scope="col">Option</th><th scope="col">Values</th><th scope="col">Default</th></tr></thead>
<tbody>${options.map(optionRow)}</tbody>
</table></div>`;
}

function optionRow(option: OptionDescription): Html {
  const values = option.values.map((value) => html`<code>${value}</code> `);
  const type =
    option.type === 'string' && values.length > 0 ? null : html`<span class="quiet">${option.type}</span> `;
  const condition =
    option.usedWhen === null ? null : html` <span class="quiet">Used when ${option.usedWhen}.</span>`;
  const fallback =
    option.default === null ? html`<span class="quiet">none</span>` : html`<code>${option.default}</code>`;
  return html`<tr>
<th scope="row"><code>${option.key}</code></th>
<td class="values"><p>${prose(option.description)}${condition}</p><p>${type}${values}</p></td>
<td>${option.required ? html`<span class="tag">required</span>` : fallback}</td>
</tr>`;
}

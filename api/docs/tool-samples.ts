/** What the built-in generator makes of a photo; dev/gallery/tool-samples.ts renders it. */
export interface ToolSample {
  /** Name of the file before, of one of the photos that dev/gallery/tool-samples.ts prepares. */
  photo: string;
  options: Readonly<Record<string, string>>;
}

const sample = (photo: string, options: Record<string, string> = {}): ToolSample => ({ photo, options });

/** A sample of each tool that is classical image editing, by slug. The other tools need a model. */
export const TOOL_SAMPLES: Readonly<Record<string, ToolSample>> = {
  'image-enhancement': sample('dark-room'),
  'hdr-enhancement': sample('living-room'),
  'color-correction': sample('yellow-room'),
  'lighting-adjustment': sample('dark-room', { lightingMode: 'brighten' }),
  'noise-reduction': sample('noisy-room', { intensity: 'strong' }),
  'perspective-correction': sample('tilted-house'),
  'image-upscaling': sample('small-house'),
  '4k-upscale': sample('small-house'),
  'sky-replacement': sample('house', { skyType: 'sunset' }),
  'aerial-photo-editing': sample('hazy-house'),
  'day-to-dusk': sample('living-room'),
  'day-to-dusk-exterior': sample('house'),
  'seasonal-changes': sample('house', { season: 'winter' }),
  'lawn-enhancement': sample('house'),
};

/** File names of a sample, below the assets. */
export const sampleFiles = (slug: string, { photo }: ToolSample) => ({
  before: `samples/${photo}.jpg`,
  after: `samples/${slug}.jpg`,
});

/** Pixels of every file. */
export const SAMPLE_SIZE = { width: 560, height: 373 };

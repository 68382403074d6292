// Sends requests by Swagger UI, one operation at a time. It is loaded when it is asked for, and only from this service.
const { document: source, assets } = document.getElementById('reference').dataset;
const key = document.getElementById('key');
const dark = matchMedia('(prefers-color-scheme: dark)');
const follow = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
dark.addEventListener('change', follow);
follow();

for (const place of document.querySelectorAll('.try')) {
  const button = document.createElement('button');
  button.type = 'button';
  button.textContent = 'Try it';
  button.addEventListener('click', () => open(place, button));
  place.append(button);
}

let loaded;
const load = () => {
  loaded ??= Promise.all([
    fetch(source).then((response) => response.json()),
    fetch(`${assets}/samples/living-room.jpg`)
      .then((response) => response.blob())
      .then(dataUrl),
    element('script', { src: `${assets}/swagger-ui-bundle.js` }),
    element('link', { rel: 'stylesheet', href: `${assets}/swagger-ui.css` }),
  ]);
  return loaded;
};

async function open(place, button) {
  button.disabled = true;
  button.textContent = 'Loading…';
  const files = await load().catch(() => undefined);
  if (files === undefined) {
    loaded = undefined;
    button.disabled = false;
    button.textContent = 'Try again';
    return;
  }
  const [openApi, photo] = files;
  const spec = only(structuredClone(openApi), place.dataset.operation, photo);
  const target = document.createElement('div');
  button.replaceWith(target);
  new MutationObserver(() => nameControls(target)).observe(target, { childList: true, subtree: true });
  SwaggerUIBundle({
    spec,
    domNode: target,
    validatorUrl: null,
    deepLinking: false,
    docExpansion: 'full',
    tryItOutEnabled: true,
    displayRequestDuration: true,
    defaultModelsExpandDepth: -1,
    requestInterceptor: (request) => {
      if (key.value !== '') request.headers['X-Api-Key'] = key.value;
      return request;
    },
  });
}

/** Swagger UI leaves these controls without a name, or out of reach of the keyboard. */
function nameControls(target) {
  for (const select of target.querySelectorAll('select:not([aria-label])'))
    select.ariaLabel = select.closest('tr')?.querySelector('.parameter__name')?.textContent ?? 'Alternatives';
  for (const body of target.querySelectorAll('textarea')) body.ariaLabel = 'Body';
  for (const button of target.querySelectorAll('.copy-to-clipboard button')) button.ariaLabel = 'Copy';
  for (const pre of target.querySelectorAll('pre')) pre.tabIndex = 0;
}

/** The document with one operation of this service, with a photo to edit and without headers that nobody should send. */
function only({ webhooks, paths, ...openApi }, operationId, photo) {
  const [path, method] = Object.entries(paths).flatMap(([path, methods]) =>
    Object.keys(methods).flatMap((method) =>
      methods[method].operationId === operationId ? [path, method] : [],
    ),
  );
  const operation = paths[path][method];
  for (const parameter of [...operation.parameters, ...Object.values(openApi.components.parameters)])
    if (parameter.in === 'header') delete parameter.example;
  const body = operation.requestBody?.content['application/json'];
  if (body?.examples !== undefined) {
    // The form is filled from the examples.
    body.schema = { type: 'object' };
    const sample = { summary: 'The sample photo', value: { tool: 'image-enhancement', image_base64: photo } };
    if (Object.values(body.examples).some(({ value }) => 'image_base64' in value))
      body.examples = { sample, ...body.examples };
    for (const { value } of Object.values(body.examples)) sendPhoto(value, photo);
  }
  operation.responses = { default: { description: '' } };
  return {
    ...openApi,
    servers: [{ url: source.replace(/\/[^/]*$/, '') }],
    paths: { [path]: { [method]: operation } },
  };
}

function sendPhoto(value, photo) {
  if (!('image_base64' in value)) return;
  // Last, because it is long.
  delete value.image_base64;
  value.image_base64 = photo;
}

function element(name, attributes) {
  return new Promise((resolve, reject) => {
    const created = Object.assign(document.createElement(name), attributes);
    created.addEventListener('load', resolve);
    created.addEventListener('error', reject);
    document.head.append(created);
  });
}

function dataUrl(blob) {
  return new Promise((resolve) => {
    const reader = new FileReader();
    reader.addEventListener('load', () => resolve(reader.result));
    reader.readAsDataURL(blob);
  });
}

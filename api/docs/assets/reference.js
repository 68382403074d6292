// Starts Swagger UI with the document of this service. It loads nothing from other hosts.
const reference = document.getElementById('reference');
const dark = matchMedia('(prefers-color-scheme: dark)');
const follow = () => document.documentElement.classList.toggle('dark-mode', dark.matches);
dark.addEventListener('change', follow);
follow();
SwaggerUIBundle({
  url: reference.dataset.document,
  domNode: reference,
  deepLinking: true,
  validatorUrl: null,
  defaultModelsExpandDepth: 0,
  defaultModelExpandDepth: 1,
  docExpansion: 'list',
  displayRequestDuration: true,
  persistAuthorization: false,
});

/** The services with those that each depends on before it. */
export function startOrder(
  services: Readonly<Record<string, { depends_on?: Record<string, unknown> }>>,
): string[] {
  const order: string[] = [];
  const visit = (name: string) => {
    if (order.includes(name)) return;
    for (const needed of Object.keys(services[name]?.depends_on ?? {})) visit(needed);
    order.push(name);
  };
  for (const name of Object.keys(services)) visit(name);
  return order;
}

// Elements with less to write.

export function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith("on")) made.addEventListener(name.slice(2), value);
    else if (value === true) made.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) made.setAttribute(name, value);
  }
  made.append(...children.filter((child) => child !== null && child !== undefined));
  return made;
}

export const byId = (id) => document.getElementById(id);

export function written(value) {
  if (value === null || value === undefined) return "null";
  if (Array.isArray(value)) return value.length ? value.map(written).join(", ") : "(none)";
  return typeof value === "number" ? String(Number(value.toPrecision(6))) : String(value);
}

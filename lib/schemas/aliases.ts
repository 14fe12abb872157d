// Fields that a request may send under either of two names.
import stringify from "safe-stable-stringify";
import * as z from "zod";
import { rejectContradiction } from "./common.ts";

type Aliases<Shape extends z.ZodRawShape> = Readonly<Record<string, keyof Shape & string>>;

/**
 * An object whose fields have the names of `shape` and those of `aliases`, which maps each other name to that of the shape.
 * Its output has the names of the shape only. Two names of one field with different values are rejected.
 */
export function objectWithAliases<Shape extends z.ZodRawShape>(shape: Shape, aliases: Aliases<Shape>) {
  const others = Object.fromEntries(Object.entries(aliases).map(([other, name]) => [other, shape[name]]));
  const rejections = Object.entries(aliases).map(([other, name]) => rejectContradiction(name, other, stringify));
  return z
    .strictObject({ ...shape, ...others })
    .superRefine((given, context) => {
      for (const reject of rejections) reject(given, context);
    })
    .transform((given) => renameFields(given, aliases) as z.output<z.ZodObject<Shape>>);
}

function renameFields(given: Record<string, unknown>, aliases: Readonly<Record<string, string>>): object {
  const renamed: Record<string, unknown> = {};
  for (const [sent, value] of Object.entries(given)) {
    if (value !== undefined) renamed[aliases[sent] ?? sent] = value;
  }
  return renamed;
}

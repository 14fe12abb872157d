// The entry of a skill as the Skills extension has it, with the digest of its file.
import { skillEntry } from "@modelcontextprotocol/server/ext/skills";

export interface SkillEntry {
  uri: string;
  frontmatter: { name: string; description: string };
  resources: { uri: string; digest: string; size: number }[];
}

/** Throws for a name, description or frontmatter that https://agentskills.io/specification (read 2026-11-29) does not allow. */
export async function buildSkillEntry(name: string, text: string): Promise<SkillEntry> {
  return (await skillEntry(name, { "SKILL.md": text })) as SkillEntry;
}

// Landscapes as SVG, generated in code, for the sample content: they contain nobody's work, and are the same on every run.
import { createRandom, type SeededRandom } from "../corpus/random.ts";

/** Size of the drawing; a picture may show it at another size. */
const [W, H] = [1080, 1350];

interface Palette {
  /** Colours of the sky from top to bottom. */
  sky: readonly string[];
  /** Colours of the hills from far to near. */
  hills: readonly string[];
}

export const SCENES: Readonly<Record<string, () => string>> = {
  "aurora-over-the-fjord": () =>
    buildScene({ sky: ["#06122b", "#0d2b46", "#1d5c63"], hills: ["#16405a", "#0e2b40", "#071a2a"] }, 3, [
      drawStars,
      drawAurora,
    ]),
  "first-light-on-the-pier": () =>
    buildSea(
      { sky: ["#2b3a67", "#8d6b94", "#f2a07b", "#ffd9a0"], hills: ["#6a5a86", "#4a4a74"] },
      "#fff0c9",
      900,
      drawPier,
    ),
  "fog-in-the-spruce-forest": () =>
    buildForest({ sky: ["#cfdcd9", "#a9c0bd"], hills: ["#8fb0a9", "#5f8a83", "#2f5a55", "#16363a"] }),
  "coloured-houses-at-the-harbour": () => buildHarbour({ sky: ["#9cc5de", "#dbe9ec", "#f8e9d6"], hills: ["#7fa1b3"] }),
  "summit-at-sunrise": () =>
    buildScene({ sky: ["#3f6fa3", "#f0a58f", "#ffdcb0"], hills: ["#a6789a", "#6b5a86", "#3a3e6b", "#1f2647"] }, 11, [
      drawSun("#fff3d6", 0.32, 0.4, 92),
    ]),
  "midnight-sun": () =>
    buildSea(
      { sky: ["#c04f3d", "#f08a4b", "#ffd08a"], hills: ["#8f4355", "#5b2f4a"] },
      "#fff2cf",
      840,
      drawSailingBoat,
    ),
  "winter-morning": () =>
    buildScene({ sky: ["#7fb0d6", "#cfe3ee", "#fbf4ee"], hills: ["#c6d9e6", "#9fbdd2", "#e9f1f5", "#ffffff"] }, 21, [
      drawSun("#ffffff", 0.7, 0.28, 60),
    ]),
  "linen-on-the-table": () => buildStillLife(["#efe4d3", "#d9b38c", "#a3785a"], ["#7c8c6b", "#c96f4a", "#33475b"]),
  "two-cups": () => buildStillLife(["#e4ebe6", "#b9cbc0", "#6d8b80"], ["#f2c14e", "#d9573a", "#2d4a4a"]),
  "storm-over-the-lighthouse": () =>
    buildSea({ sky: ["#26323f", "#4c6372", "#9fb3b8"], hills: ["#3a4b57", "#22303a"] }, "#d9e4e2", 960, drawLighthouse),
};

type Layer = (random: SeededRandom) => string;

function buildSvg(...parts: string[]): string {
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${W}" height="${H}" viewBox="0 0 ${W} ${H}">${parts.join("")}</svg>`;
}

function buildGradient(id: string, colours: readonly string[], more = ""): string {
  const stops = colours.map(
    (colour, at) => `<stop offset="${at / Math.max(1, colours.length - 1)}" stop-color="${colour}" ${more}/>`,
  );
  return `<defs><linearGradient id="${id}" x1="0" y1="0" x2="0" y2="1">${stops.join("")}</linearGradient></defs>`;
}

const drawSky = (colours: readonly string[], height = H) =>
  `${buildGradient("sky", colours)}<rect width="${W}" height="${height}" fill="url(#sky)"/>`;

/** Hills behind each other: lower, larger and darker towards the viewer. */
function drawHills(colours: readonly string[], random: SeededRandom, from: number, to: number): string {
  return colours
    .map((colour, at) => {
      const base = from + ((to - from) * at) / Math.max(1, colours.length - 1);
      return `<path d="${buildRidge(base, 230 - at * 34, random)}" fill="${colour}"/>`;
    })
    .join("");
}

/** A ridge from edge to edge as a polyline: peaks at random distances, flanks with small steps. */
function buildRidge(base: number, height: number, random: SeededRandom): string {
  const points = [[0, base - random.next() * height * 0.5]];
  for (let x = 0, isPeak = true; x < W; isPeak = !isPeak) {
    x += 70 + random.next() * 120;
    points.push([x, base - (isPeak ? 0.45 + random.next() * 0.55 : random.next() * 0.3) * height]);
  }
  const line = points.map(([x = 0, y = 0]) => `L${x.toFixed(0)} ${y.toFixed(0)}`).join(" ");
  return `M0 ${H} ${line} L${W + 200} ${H} Z`;
}

function buildScene({ sky, hills }: Palette, seed: number, layers: Layer[]): string {
  const random = createRandom(seed);
  return buildSvg(drawSky(sky), ...layers.map((draw) => draw(random)), drawHills(hills, random, H * 0.62, H * 0.95));
}

const drawSun =
  (colour: string, x: number, y: number, radius: number): Layer =>
  () =>
    [3.2, 2.1, 1].map((scale, at) => drawCircle(x * W, y * H, radius * scale, colour, [0.14, 0.22, 1][at])).join("");

const drawCircle = (x: number, y: number, radius: number, colour: string, opacity = 1) =>
  `<circle cx="${x}" cy="${y}" r="${radius}" fill="${colour}" opacity="${opacity}"/>`;

const drawStars: Layer = (random) =>
  Array.from({ length: 90 }, () =>
    drawCircle(
      random.integer(0, W),
      random.integer(0, 760),
      0.8 + random.next() * 2.2,
      "#ffffff",
      0.3 + random.next() * 0.7,
    ),
  ).join("");

/** Curtains of light: bands of thin strips that fade upwards. */
const drawAurora: Layer = (random) => {
  const gradient = `<defs><linearGradient id="aurora" x1="0" y1="1" x2="0" y2="0"><stop offset="0" stop-color="#7dffc4" stop-opacity="0"/>
    <stop offset="0.18" stop-color="#7dffc4" stop-opacity="0.55"/><stop offset="1" stop-color="#7a6cff" stop-opacity="0"/></linearGradient></defs>`;
  const bands = [0, 1, 2].map((band) =>
    Array.from({ length: 120 }, (_, at) => {
      const x = (at * W) / 119;
      const bottom = 520 + band * 90 + Math.sin(at / (14 + band * 5) + band * 2) * 110;
      const height = 320 + Math.sin(at / 7 + band) * 90 + random.next() * 60;
      return `<rect x="${x.toFixed(0)}" y="${(bottom - height).toFixed(0)}" width="12" height="${height.toFixed(0)}" fill="url(#aurora)"/>`;
    }).join(""),
  );
  return gradient + bands.join("");
};

function buildSea({ sky, hills }: Palette, sun: string, horizon: number, draw: Layer): string {
  const random = createRandom(horizon);
  const water = `${buildGradient("water", [...sky].reverse())}<rect y="${horizon}" width="${W}" height="${H - horizon}" fill="url(#water)"/>
    <rect y="${horizon}" width="${W}" height="${H - horizon}" fill="${hills.at(-1)}" opacity="0.28"/>`;
  // The path of light on the water widens towards the viewer.
  const light = Array.from({ length: 46 }, (_, at) => {
    const spread = 30 + at * 5;
    const x = W * 0.62 + (random.next() - 0.5) * spread * 2;
    return `<rect x="${(x - spread / 2).toFixed(0)}" y="${horizon + 6 + at * 11}" width="${spread}" height="4" rx="2" fill="${sun}" opacity="${(0.75 - at * 0.012).toFixed(2)}"/>`;
  });
  return buildSvg(
    drawSky(sky, horizon),
    drawSun(sun, 0.62, (horizon - 120) / H, 74)(random),
    `<g transform="translate(0 ${horizon - H})">${drawHills(hills, random, H + 30, H + 70)}</g>`,
    water,
    ...light,
    draw(random),
  );
}

const drawPier: Layer = () => {
  const planks = Array.from(
    { length: 9 },
    (_, at) => `<rect x="0" y="${1030 + at * 4}" width="${640 - at * 6}" height="3" fill="#3b2a35"/>`,
  );
  const posts = [60, 220, 380, 540, 620].map((x) => `<rect x="${x}" y="985" width="16" height="220" fill="#2a1d2a"/>`);
  return [
    ...posts,
    `<rect y="1026" width="650" height="34" fill="#46323c"/>`,
    ...planks,
    drawGull(300, 420),
    drawGull(420, 360),
    drawGull(250, 340),
  ].join("");
};

const drawGull = (x: number, y: number) =>
  `<path d="M${x - 34} ${y - 10} Q${x - 16} ${y - 26} ${x} ${y} Q${x + 16} ${y - 26} ${x + 34} ${y - 10}" fill="none" stroke="#2a2438" stroke-width="6" stroke-linecap="round"/>`;

const drawSailingBoat: Layer = () =>
  `<path d="M300 560 L300 850 L180 850 Z" fill="#fff4e3"/><path d="M318 600 L318 850 L420 850 Z" fill="#f3d9c0"/>
  <path d="M170 866 L440 866 L400 920 L215 920 Z" fill="#3c2233"/>`;

const drawLighthouse: Layer = () =>
  `<path d="M0 1350 L0 1080 Q160 990 330 1040 T640 1350 Z" fill="#141d25"/>
  <path d="M250 520 L1080 380 L1080 640 Z" fill="#fff3c4" opacity="0.16"/>
  <path d="M196 600 L264 600 L292 1040 L168 1040 Z" fill="#eef1ef"/><path d="M187 690 L273 690 L280 790 L180 790 Z" fill="#b8433a"/>
  <path d="M175 890 L285 890 L290 980 L170 980 Z" fill="#b8433a"/><rect x="186" y="570" width="88" height="30" fill="#22303a"/>
  <rect x="202" y="490" width="56" height="80" fill="#ffe9a3"/><path d="M192 492 L230 440 L268 492 Z" fill="#b8433a"/>`;

function buildForest({ sky, hills }: Palette): string {
  const random = createRandom(7);
  const rows = hills.map((colour, row) => {
    const base = 620 + row * 230;
    const fog = `<rect y="${base - 60}" width="${W}" height="${H}" fill="${sky[1]}" opacity="0.28"/>`;
    const trees = Array.from({ length: 15 - row * 2 }, (_, at) =>
      drawSpruce(
        (at * W) / (13 - row * 2) + random.integer(-40, 40),
        base + random.integer(-20, 60),
        210 + row * 90 + random.integer(-50, 60),
        colour,
      ),
    );
    return trees.join("") + (row < hills.length - 1 ? fog : "");
  });
  return buildSvg(drawSky(sky), drawCircle(W * 0.7, 300, 90, "#ffffff", 0.55), ...rows);
}

/** Four tiers of branches on a trunk whose foot is at the point. */
function drawSpruce(x: number, y: number, height: number, colour: string): string {
  const tiers = [0, 1, 2, 3].map((tier) => {
    const top = y - height + (tier * height) / 5;
    const half = height * (0.1 + tier * 0.055);
    return `<path d="M${x} ${top} L${x + half} ${top + height / 2.6} L${x - half} ${top + height / 2.6} Z" fill="${colour}"/>`;
  });
  return `<rect x="${x - height / 40}" y="${y - height / 4}" width="${height / 20}" height="${height / 3}" fill="${colour}"/>${tiers.join("")}`;
}

const HOUSE_COLOURS = ["#b5452f", "#e0a83f", "#f1ebdf", "#8e3b2e", "#3f6b7d", "#d98b4a", "#c9c3a8"];

function buildHarbour({ sky, hills }: Palette): string {
  const random = createRandom(5);
  const quay = 960;
  const width = W / HOUSE_COLOURS.length;
  const houses = HOUSE_COLOURS.map((colour, at) => {
    const height = 300 + random.integer(0, 110);
    const [x, top] = [at * width, quay - height];
    const windows = Array.from({ length: Math.floor((height - 60) / 74) }, (_, row) =>
      [0.2, 0.6]
        .map(
          (place) =>
            `<rect x="${x + width * place}" y="${top + 44 + row * 74}" width="${width * 0.2}" height="42" fill="#fff6df" stroke="#4a3a34" stroke-width="4"/>`,
        )
        .join(""),
    );
    return `<path d="M${x} ${top} L${x + width / 2} ${top - 110} L${x + width} ${top} L${x + width} ${quay} L${x} ${quay} Z" fill="${colour}"/>
      <path d="M${x - 4} ${top + 4} L${x + width / 2} ${top - 114} L${x + width + 4} ${top + 4}" fill="none" stroke="#3a2c2a" stroke-width="12"/>${windows.join("")}`;
  }).join("");
  const mirror = `<g transform="translate(0 ${2 * quay + 24}) scale(1 -1)" opacity="0.45">${houses}</g>`;
  const waves = Array.from(
    { length: 40 },
    () =>
      `<rect x="${random.integer(-60, W)}" y="${random.integer(quay + 40, H)}" width="${random.integer(60, 220)}" height="3" rx="2" fill="#ffffff" opacity="0.35"/>`,
  );
  return buildSvg(
    drawSky(sky),
    `<g transform="translate(0 -420)">${drawHills(hills, random, H, H)}</g>`,
    `<rect y="${quay}" width="${W}" height="${H - quay}" fill="#4d7a8c"/>`,
    mirror,
    `<rect y="${quay}" width="${W}" height="${H - quay}" fill="#3b6a7d" opacity="0.35"/>`,
    houses,
    `<rect y="${quay}" width="${W}" height="24" fill="#5b4a42"/>`,
    ...waves,
  );
}

/** Cups and a vase on a table, in flat colours. */
function buildStillLife(
  [wall = "", table = "", shade = ""]: readonly string[],
  [first = "", second = "", third = ""]: readonly string[],
): string {
  const leaves = Array.from({ length: 9 }, (_, at) => {
    const angle = -70 + at * 17.5;
    return `<g transform="translate(330 610) rotate(${angle})"><path d="M0 0 Q46 -130 0 -290 Q-46 -130 0 0 Z" fill="${first}" opacity="${0.7 + (at % 3) * 0.12}"/></g>`;
  });
  return buildSvg(
    `<rect width="${W}" height="${H}" fill="${wall}"/>`,
    `<path d="M640 0 L1080 0 L1080 760 L820 900 Z" fill="#ffffff" opacity="0.35"/>`,
    `<rect y="930" width="${W}" height="420" fill="${table}"/><rect y="930" width="${W}" height="10" fill="${shade}" opacity="0.5"/>`,
    `<ellipse cx="380" cy="1050" rx="260" ry="34" fill="${shade}" opacity="0.45"/><ellipse cx="790" cy="1090" rx="210" ry="28" fill="${shade}" opacity="0.45"/>`,
    ...leaves,
    `<path d="M262 600 L398 600 Q390 690 460 800 Q500 1040 330 1050 Q160 1040 200 800 Q270 690 262 600 Z" fill="${third}"/>`,
    `<path d="M640 860 L930 860 Q930 1090 785 1090 Q640 1090 640 860 Z" fill="${second}"/><ellipse cx="785" cy="860" rx="145" ry="30" fill="${shade}"/>`,
    `<path d="M926 890 Q1020 890 1000 970 Q980 1030 900 1016" fill="none" stroke="${second}" stroke-width="24"/>`,
  );
}

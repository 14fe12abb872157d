// Topics of the generated viral library: the words of its English posts, and synonyms that these posts never use.

export interface Topic {
  category: string;
  /** The niche of its posts. */
  name: string;
  words: string[];
  /** Synonyms and translations; only bilingual posts combine them with the words. */
  synonyms: string[];
}

/** category | niche | words | synonyms */
const LINES = `
beauty|night skincare|cleanser serum moisturizer retinol sunscreen pores barrier glow|rutina piel crema complexion ageing
beauty|curly hair|curls shampoo frizz diffuser conditioner ringlets scrunch coils|rizos cabello melena tresses unruly
fashion|capsule wardrobe|outfits blazer neutrals closet layering trousers wardrobe staples|armario prendas garments attire minimalist
fashion|thrift flips|thrifted denim sewing upcycle vintage jacket tailoring hems|costura usada secondhand refashion bargain
fitness|home workouts|squats pushups plank dumbbells core reps mobility warmup|ejercicio casa exercise strengthen bodyweight
fitness|couch running|jogging pace marathon sneakers stride intervals kilometers runner|correr maratona endurance beginners stamina
health|better sleep|insomnia bedtime melatonin circadian snooze pillow wakeups naps|dormir descanso slumber restless tired
health|gut health|probiotics fiber bloating digestion kefir microbiome ferment enzymes|digestivo intestino stomach indigestion belly
food|meal prep|containers chicken rice batch lunches macros fridge recipes|comida semanal weekday cooking portions
food|sourdough baking|starter dough crust loaf flour proofing oven crumb|masa panadero bread kneading rustic
travel|budget travel|hostel flights backpack itinerary layover hacks destinations passport|viajar barato cheap abroad wanderer
travel|van life|campervan solar conversion campsite roadtrip mattress stove parking|furgoneta carretera nomadic dwelling wheels
home|small apartment decor|shelves rug lamp cozy studio curtains mirrors renter|decorar piso tiny interior furnishing
home|house cleaning|vacuum scrub declutter laundry sponge mop vinegar sparkle|limpiar hogar tidy chores spotless
parenting|newborn nights|swaddle crib feeding diapers lullaby bassinet pacifier burping|bebe noches infant sleepless mothers
parenting|toddler activities|crayons playdough sensory puzzles tantrum preschool blocks stickers|ninos juegos kids rainy entertain
pets|puppy training|leash recall treats clicker obedience crate kibble paws|cachorro adiestrar dog commands housebreak
pets|indoor cats|litter scratching whiskers kitten catnip purring windowsill toys|gato felino feline housebound enrichment
relationships|first dates|flirting texting chemistry butterflies crush restaurant awkward matchmaking|cita romance singles courtship nervous
relationships|long marriage|spouse anniversary vows teamwork arguments forgiveness counseling partners|matrimonio pareja wedded couples lasting
education|exam studying|flashcards recall pomodoro notes syllabus library highlighters grades|estudiar examen revision students memorize
education|language learning|vocabulary grammar pronunciation fluency immersion polyglot accent verbs|idiomas aprender tongue foreign bilingual
career|job interviews|recruiter resume questions salary handshake portfolio hiring followup|entrevista trabajo employment candidate impress
career|remote working|laptop timezone standup slack coworking productivity deskmate async|remoto oficina telecommute freelancers anywhere
finance|saving money|budget envelopes emergency savings subscriptions spreadsheet frugal debt|ahorrar dinero thrifty expenses nest
finance|stock investing|dividends portfolio index brokerage compound bonds etf shares|invertir bolsa wealth markets retirement
business|order packing|orders tissue stickers shipping boxes labels warehouse parcels|pedidos paquete merchant fulfilment handmade
business|cafe opening|espresso counter lease barista menu pastries customers rent|cafeteria negocio shop entrepreneur launching
marketing|email newsletters|subscribers subject openrate segmentation signup campaign copywriting deliverability|correo boletin mailing audience inbox
marketing|short video growth|hooks retention editing algorithm captions trending watchtime analytics|seguidores crecer followers reels creators
technology|phone tricks|settings battery shortcut widgets screenshots gestures notifications storage|telefono trucos smartphone handset hidden
technology|home coding|python javascript debugging terminal github developer functions variables|programar codigo software programmer newbie
gaming|cozy games|farming pixel crafting village switch quests wholesome fishing|videojuegos relajante relaxing console gentle
gaming|speedruns|glitch splits frames route worldrecord bosses controller resets|rapido partida fastest completion gamer
entertainment|movie reviews|director plot cinematography sequel trailer screenplay actors ending|pelicula critica film cinema verdict
entertainment|standup comedy|punchline crowd heckler microphone jokes sketch improv setlist|comedia risa funny laughter humorist
music|guitar practice|chords strumming fretboard riff capo fingerpicking scales amp|guitarra acordes strings musician instrument
music|bedroom producing|beats synth mixing samples drums plugins mastering vocals|produccion ritmos recording headphones songwriter
sports|football drills|dribbling passing striker goalkeeper pitch boots tackle freekick|futbol entrenar soccer footwork athletes
sports|rock climbing|boulder chalk harness crimps belay summit grips ropes|escalada roca mountaineer ascent cliffs
art|watercolor painting|brushes pigment washes paper palette gouache landscapes blending|acuarela pintar painter canvas artwork
art|pottery wheel|clay glaze kiln bowls throwing mug centering ceramics|ceramica barro earthenware potter vessels
books|fantasy reading|dragons trilogy worldbuilding kingdom prophecy magic chapters paperback|fantasia lectura novels bookworm epic
books|journaling habit|diary prompts fountain notebook reflections gratitude doodles morning|escribir cuaderno writing introspection daily
lifestyle|slow mornings|sunrise coffee robe stretching silence teapot candles breakfast|mananas calma dawn unhurried peaceful
lifestyle|digital detox|screens unplug airplane scrolling boredom dumbphone offline limits|desconexion pantallas unplugging addicted internet
other|balcony gardening|tomatoes seedlings compost pots watering basil sunlight trellis|huerto plantas vegetables grow urban
other|candle making|wax wick fragrance jars soy pouring scent melting|velas aroma craft homemade hobby
`;

export const TOPICS: Topic[] = LINES.trim()
  .split("\n")
  .map((line) => {
    const [category = "", name = "", words = "", synonyms = ""] = line.split("|");
    return { category, name, words: words.split(" "), synonyms: synonyms.split(" ") };
  });

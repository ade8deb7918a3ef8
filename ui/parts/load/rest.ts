/** What every page and late part needs but Home and the sign-in, in the order of the cascade. */
import "../../styles/parts/table.css";
import "../../styles/parts/facts.css";
import "../../styles/parts/form.css";
import "../../styles/parts/controls.css";
import "../../styles/parts/diff.css";
import "../../styles/pages/lists.css";
import "../../styles/pages/firewall.css";
import { addShapes } from "../show/icon.tsx";
import { MORE_SHAPES } from "../show/more_shapes.tsx";

addShapes(MORE_SHAPES);
